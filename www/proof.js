// The numbers of a cell of the matrix, for whoever taps it or comes to it by keyboard: all that its title says, in a
// line below the table. With the focus in a cell the arrow keys go to its neighbours, Home and End to the row's ends.
// Runs when the table is there: in proof.html, and in the article, which takes the table in (www/later.js).
(() => {
  "use strict";

  const frame = document.querySelector(".proof-frame");
  if (!frame) return;
  const rows = [...frame.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")]);
  const said = document.createElement("p");
  said.className = "proof-said";
  said.setAttribute("role", "status");
  said.textContent = "Tap a cell, or go to one with Tab and the arrow keys: all of its numbers stand here.";
  frame.after(said);
  frame.querySelector(".proof").setAttribute("role", "grid");

  // What has the focus for a cell: its link, if it has one.
  const target = (cell) => cell.querySelector("a") ?? cell;
  for (const cell of rows.flat()) if (target(cell) === cell) cell.tabIndex = -1;
  let current = rows[0][0];
  target(current).tabIndex = 0;

  function tell(cell) {
    delete current.dataset.said;
    if (target(current) === current) current.tabIndex = -1;
    current = cell;
    current.dataset.said = "";
    target(current).tabIndex = 0;
    const name = document.createElement("b");
    name.textContent = cell.parentElement.querySelector("th").firstChild.textContent;
    said.replaceChildren(name, ": ", (cell.title || target(cell).title) + ".");
  }

  frame.addEventListener("focusin", ({ target }) => {
    const cell = target.closest("td");
    if (cell) tell(cell);
  });

  frame.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    if (!cell || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const row = rows.findIndex((cells) => cells.includes(cell));
    const column = rows[row].indexOf(cell);
    const next = {
      ArrowLeft: rows[row][column - 1],
      ArrowRight: rows[row][column + 1],
      ArrowUp: rows[row - 1]?.[column],
      ArrowDown: rows[row + 1]?.[column],
      Home: rows[row][0],
      End: rows[row].at(-1),
    };
    if (!Object.hasOwn(next, event.key)) return;
    event.preventDefault();
    if (next[event.key]) target(next[event.key]).focus();
  });
})();
