"""From mentions to entities and relations."""
