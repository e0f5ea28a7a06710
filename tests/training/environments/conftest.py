"""The servers of examples/integrations as modules; the services are those of the folder above."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "examples" / "integrations"))
