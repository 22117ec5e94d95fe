"""Takes over what other memories exported: `bring_in` is the way in; see docs/importing.md."""

from graphmem.importing.bring import IMPORTERS, Imported, bring_in, importer_named

__all__ = ["IMPORTERS", "Imported", "bring_in", "importer_named"]
