"""All Cypher that reads a published base; the conventions are those of `statements`.

What a question asks comes as rows of two columns, `kind` and `row`, from branches that are joined
by `UNION ALL`, a hundred rows in a record, for each record costs as much as what it holds. The last
branch tells the generation that is shown once all else was read, none while a change is committed:
where it is still the one that the question began with, a single generation was seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.stores.neo4j.statements import COMMITS

_PREDICATED = "!MENTIONS&!IN_COMMUNITY"
_SHOWN = f"""{COMMITS} MATCH (k:KnowledgeBase {{kb: $kb}})
    RETURN 'shown' AS kind, [CASE commits WHEN 0 THEN k.generation END, k.space] AS row"""

_GROUPED = """CALL () { %s }
    WITH kind, collect(row) AS rows UNWIND range(0, size(rows) - 1, 100) AS first
    RETURN kind, rows[first..first + 100] AS rows"""
_NEAR = """UNWIND $searches AS search
    CALL db.index.vector.queryNodes('S_%s', search.%s, search.vector) YIELD node, score
    RETURN '%s' AS kind, [%s, 2 * score - 1%s] AS row"""
NEAREST = (
    _NEAR % ("chunks", "chunks", "chunk", "node.item_id", ""),
    _NEAR % ("entities", "entities", "entity", "node.item_id", ""),
    _NEAR % ("relations", "relations", "relation", "node.item_id", ", node.source, node.target"),
    _NEAR % ("predicates", "predicates", "predicate", "node.predicate", ""),
)
NAMED = """CALL db.index.fulltext.queryNodes('S_names', $names, {limit: $most_named})
    YIELD node RETURN 'named' AS kind, [node.item_id] AS row"""
KEYWORDS = """CALL db.index.fulltext.queryNodes('S_text', $keywords, {limit: $most_chunks})
    YIELD node RETURN 'chunk' AS kind, [node.item_id, 0.0] AS row"""
FREQUENCIES = """UNWIND $terms AS term
    CALL db.index.fulltext.queryNodes('S_text', term.query) YIELD node
    WITH term, count(node) AS holding RETURN 'frequency' AS kind, [term.word, holding] AS row"""
FIRST_CHUNKS = """MATCH (c:S_Chunk) WHERE c.doc_id >= ''
    WITH c ORDER BY c.doc_id LIMIT $most_chunks
    RETURN 'chunk' AS kind, [c.item_id, 0.0] AS row"""

_CHUNK = """[c.item_id, c.doc_id, c.title, c.text, c.start, c.end, c.tokens, c.places,
    c.tables, c.unsure, c.section]"""
_ENTITY = """[e.item_id, coalesce(e.long_name, e.name), e.type, e.description, e.aliases,
    e.chunk_ids]"""
_RELATION = """[r.item_id, s.item_id, r.predicate, t.item_id, r.description, r.weight, r.chunk_ids,
    coalesce(s.long_name, s.name), coalesce(t.long_name, t.name)]"""
HELD_CHUNKS = f"""UNWIND $chunks AS item_id MATCH (c:S_Chunk {{item_id: item_id}})
    RETURN 'chunk' AS kind, [c.born, {_CHUNK}, c.embedding,
    [(c)-[:MENTIONS]->(e:S_Entity) | e.item_id]] AS row"""
HELD_ENTITIES = f"""UNWIND $entities AS item_id MATCH (e:S_Entity {{item_id: item_id}})
    CALL (e) {{
        MATCH (e)-[r:{_PREDICATED}]-(:S_Entity) WITH r LIMIT $scanned
        WITH DISTINCT r, coalesce($near[r.item_id], $near[r.predicate], 0.0) AS near
        ORDER BY near DESC, r.item_id LIMIT $degree
        WITH r, startNode(r) AS s, endNode(r) AS t
        RETURN collect({_RELATION}) AS relations
    }}
    RETURN 'entity' AS kind, [e.born, {_ENTITY}, e.embedding, e.degree,
    [(e)-[:IN_COMMUNITY]->(c:S_Community) | c.item_id][0], relations] AS row"""
RELATION_VECTORS = """UNWIND $relations AS item_id MATCH (n:S_Relation {item_id: item_id})
    RETURN 'relation' AS kind, [n.born, n.item_id, n.embedding] AS row"""
PREDICATE_VECTORS = """UNWIND $predicates AS item_id MATCH (n:S_Predicate {item_id: item_id})
    RETURN 'predicate' AS kind, [n.born, n.predicate, n.embedding] AS row"""


def asked(branches: Sequence[str]) -> str:
    """Return one statement of several branches that tells in the end which generation is shown.

    Its records hold a kind and some rows of it.
    """
    return "CYPHER 5 " + "\nUNION ALL\n".join(_GROUPED % one for one in (*branches, _SHOWN))


# Items by id, as they are now.
DOCUMENTS = """CYPHER 5 UNWIND $ids AS item_id MATCH (d:S_Document {item_id: item_id})
    RETURN [d.item_id, d.title, d.text, d.source, d.uri, d.metadata] AS row"""
CHUNKS = f"""CYPHER 5 UNWIND $ids AS item_id MATCH (c:S_Chunk {{item_id: item_id}})
    RETURN {_CHUNK} AS row"""
CHUNKS_OF_DOCUMENTS = f"""CYPHER 5 UNWIND $ids AS doc_id MATCH (c:S_Chunk {{doc_id: doc_id}})
    RETURN {_CHUNK} AS row"""
ENTITIES = f"""CYPHER 5 UNWIND $ids AS item_id MATCH (e:S_Entity {{item_id: item_id}})
    RETURN {_ENTITY} AS row"""
TOLD_RELATIONS = f"""CYPHER 5 UNWIND $ids AS item_id MATCH (n:S_Relation {{item_id: item_id}})
    MATCH (s:S_Entity {{item_id: n.source}})-[r:{_PREDICATED}]->(t:S_Entity {{item_id: n.target}})
    WHERE r.item_id = item_id RETURN {_RELATION} AS row"""
GENERIC_RELATIONS = f"""CYPHER 5 UNWIND $ids AS item_id
    MATCH (s:S_Entity)-[r:RELATES_TO {{id: $kb + '/' + item_id}}]->(t:S_Entity)
    RETURN {_RELATION} AS row"""
TYPED_RELATIONS = f"""CYPHER 5 MATCH (s:S_Entity)-[r:{_PREDICATED}]->(t:S_Entity)
    WHERE r.item_id IN $ids RETURN {_RELATION} AS row"""
NAMES = """CYPHER 5 CALL db.index.fulltext.queryNodes('S_names', $names) YIELD node
    RETURN [node.item_id, node.name_keys] AS row"""
MATCHES = """CYPHER 5 MATCH (e:S_Entity) UNWIND e.name_keys AS key
    WITH e.item_id AS item_id, key WHERE key CONTAINS $key
    WITH item_id, min(CASE WHEN key = $key THEN 0 ELSE 1 END) AS other,
        min(CASE WHEN key STARTS WITH $key THEN 0 ELSE 1 END) AS inside, min(size(key)) AS length
    ORDER BY other, inside, length, item_id LIMIT $most RETURN item_id AS row"""
_COMMUNITY = """[c.item_id, c.level, c.title, c.summary, c.rating, c.rating_reason, c.findings,
    c.parent, c.size]"""
ALL_COMMUNITIES = f"""CYPHER 5 MATCH (c:S_Community) RETURN [{_COMMUNITY}, c.embedding] AS row"""
COMMUNITIES = f"""CYPHER 5 UNWIND $ids AS item_id MATCH (c:S_Community {{item_id: item_id}})
    OPTIONAL MATCH (c)<-[:PARENT_COMMUNITY*0..]-(under:S_Community)<-[:IN_COMMUNITY]-(e:S_Entity)
    RETURN [{_COMMUNITY}, collect(DISTINCT e.item_id)] AS row"""
FIGURES = """CYPHER 5 MATCH (c:S_Chunk) RETURN [count(c), coalesce(avg(c.words), 0.0)] AS row"""

# What a model's query may name; of each type the entity or relation that is known best.
SHOWN = f"CYPHER 5 {_SHOWN}"
ENTITY_TYPES = """CYPHER 5 MATCH (e:S_Entity)
    WITH e.type AS type, count(*) AS count, max([coalesce(e.degree, 0), e.name])[1] AS example
    ORDER BY count DESC, type LIMIT 1000 RETURN [type, count, example] AS row"""
RELATION_TYPES = f"""CYPHER 5 MATCH (s:S_Entity)-[r:{_PREDICATED}]->(t:S_Entity)
    WITH type(r) AS type, r.predicate AS predicate, count(*) AS count,
        max([coalesce(r.weight, 0.0), s.name, s.type, t.name, t.type]) AS example,
        collect(DISTINCT t.type)[..8] AS object_types
    ORDER BY count DESC, predicate LIMIT 2000
    RETURN [type, predicate, count, example[1..], object_types] AS row"""
TYPES_AROUND = f"""CYPHER 5 UNWIND $ids AS item_id MATCH (e:S_Entity {{item_id: item_id}})
    RETURN [item_id, COLLECT {{ MATCH (e)-[r:{_PREDICATED}]->(:S_Entity)
        RETURN DISTINCT type(r) ORDER BY type(r) LIMIT 40 }},
        COLLECT {{ MATCH (e)<-[r:{_PREDICATED}]-(:S_Entity)
        RETURN DISTINCT type(r) ORDER BY type(r) LIMIT 40 }}] AS row"""
