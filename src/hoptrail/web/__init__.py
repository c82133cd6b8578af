"""The web application: the page, its JSON API and the OpenAI protocol over knowledge bases."""
