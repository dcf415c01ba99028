// A finger on a touch screen, as Chromium hears of it: what it touches, what scrolls, all is up to the page.

// Moves a finger from one point of the window to another.
export async function swipe(page, [x, y], [toX, toY]) {
  const session = await page.context().newCDPSession(page);
  const touch = (type, touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", [{ x, y }]);
  for (let i = 1; i <= 10; i += 1) {
    await touch("touchMove", [{ x: x + ((toX - x) * i) / 10, y: y + ((toY - y) * i) / 10 }]);
    await page.waitForTimeout(16);
  }
  await touch("touchEnd", []);
  await session.detach();
}
