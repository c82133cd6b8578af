"""The web application for another server, such as LangGraph's: `hoptrail.web.mounted:app`.

It serves the knowledge bases of the settings, with their keys, and keeps its files in the folder
that `HOPTRAIL_WEB_DATA` names, else in `hoptrail-web` of the working directory. Its gate stands
before the other server's paths too: where keys are set, these need one as well.
"""

from __future__ import annotations

import os
from pathlib import Path

from hoptrail.core.settings import load_settings
from hoptrail.web.application import create_app
from hoptrail.web.keys import keys_of_settings
from hoptrail.web.options import DATA, WebOptions

_settings = load_settings()
_data = Path(os.environ.get("HOPTRAIL_WEB_DATA") or DATA).resolve()
_options = WebOptions(bases=_settings.knowledge_bases, data=_data)
app = create_app(_options, _settings, read_keys=keys_of_settings)
