//! What the fuzz targets check: the very file that the tests include, so that a finding here fails there too.

#[path = "../../tests/checks/mod.rs"]
pub mod checks;
