"""All Cypher on a published base: what writes it, then what reads it.

`S_` stands for the prefix of the base's space (`in_space`). Every statement names its language
version, nothing but prefix and vector width is ever put into its text, no statement needs APOC, and
none relies on the server's own ids. Rows come as the parameter `rows`, their order as given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.stores.neo4j.rows import Space

_SPACE = re.compile(r"\bS_")
_PREDICATED = "!MENTIONS&!IN_COMMUNITY"  # the relations of an entity, of whatever type


def in_space(statement: str, space: Space) -> str:
    """Return a statement for the labels and indexes of a space."""
    return _SPACE.sub(f"{space.prefix}_", statement)


# The schema that all bases share.
SHARED_SCHEMA = (
    """CYPHER 5 CREATE CONSTRAINT hoptrail_knowledge_base IF NOT EXISTS
    FOR (k:KnowledgeBase) REQUIRE k.kb IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT hoptrail_document IF NOT EXISTS
    FOR (n:Document) REQUIRE n.id IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT hoptrail_chunk IF NOT EXISTS
    FOR (n:Chunk) REQUIRE n.id IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT hoptrail_entity IF NOT EXISTS
    FOR (n:__Entity__) REQUIRE n.id IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT hoptrail_community IF NOT EXISTS
    FOR (n:Community) REQUIRE n.id IS UNIQUE""",
    """CYPHER 5 CREATE INDEX hoptrail_entity_name IF NOT EXISTS
    FOR (n:__Entity__) ON (n.kb, n.name)""",
    """CYPHER 5 CREATE INDEX hoptrail_relation IF NOT EXISTS
    FOR ()-[r:RELATES_TO]-() ON (r.id)""",
)

# The schema of one space.
SPACE_SCHEMA = (
    """CYPHER 5 CREATE CONSTRAINT S_document IF NOT EXISTS
    FOR (n:S_Document) REQUIRE n.item_id IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT S_chunk IF NOT EXISTS
    FOR (n:S_Chunk) REQUIRE n.item_id IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT S_entity IF NOT EXISTS
    FOR (n:S_Entity) REQUIRE n.item_id IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT S_relation IF NOT EXISTS
    FOR (n:S_Relation) REQUIRE n.item_id IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT S_predicate IF NOT EXISTS
    FOR (n:S_Predicate) REQUIRE n.item_id IS UNIQUE""",
    """CYPHER 5 CREATE CONSTRAINT S_community IF NOT EXISTS
    FOR (n:S_Community) REQUIRE n.item_id IS UNIQUE""",
    """CYPHER 5 CREATE INDEX S_chunk_document IF NOT EXISTS
    FOR (n:S_Chunk) ON (n.doc_id)""",
)
# Made after the rows: filling them at once takes less than adding row by row.
SEARCH_SCHEMA = (
    """CYPHER 5 CREATE FULLTEXT INDEX S_text IF NOT EXISTS
    FOR (n:S_Chunk) ON EACH [n.title, n.section, n.text]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}""",
    """CYPHER 5 CREATE FULLTEXT INDEX S_names IF NOT EXISTS
    FOR (n:S_Entity) ON EACH [n.name_keys]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword'}}""",
)
_VECTOR_INDEX = """CYPHER 5 CREATE VECTOR INDEX S_%s IF NOT EXISTS
    FOR (n:S_%s) ON (n.embedding) OPTIONS {indexConfig: {`vector.dimensions`: %d,
    `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}"""
_VECTOR_INDEXES = {
    "chunks": "Chunk",
    "entities": "Entity",
    "relations": "Relation",
    "predicates": "Predicate",
    "communities": "Community",
}


def vector_schema(dim: int) -> list[str]:
    """Return the statements that make the vector indexes for vectors of this length."""
    return [_VECTOR_INDEX % (name, label, dim) for name, label in _VECTOR_INDEXES.items()]


CONSTRAINTS = ("document", "chunk", "entity", "relation", "predicate", "community")
INDEXES = ("chunk_document", "text", "names", *_VECTOR_INDEXES)


def indexes(dim: int) -> list[str]:
    """Return the names of all indexes of a space with vectors of this length, 0 for none."""
    return [*CONSTRAINTS, *(name for name in INDEXES if dim or name not in _VECTOR_INDEXES)]


INDEX_STATES = """CYPHER 5 SHOW INDEXES YIELD name, state
    WHERE name IN $names RETURN name, state"""
DROP_CONSTRAINT = "CYPHER 5 DROP CONSTRAINT S_%s IF EXISTS"
DROP_INDEX = "CYPHER 5 DROP INDEX S_%s IF EXISTS"

# The mark that stands while a change is committed: the server shows some of its rows before others,
# and those of its indexes last. It is looked at before the pointer: a reader that sees no mark, and
# then the generation that it began with, has read nothing of a change. An old mark is that of a
# publisher that was killed.
COMMITS = """OPTIONAL MATCH (c:KnowledgeBaseCommit {kb: $kb}) WHERE c.since > timestamp() - 60000
    WITH count(c) AS commits"""
BEGIN_COMMIT = """CYPHER 5 MERGE (c:KnowledgeBaseCommit {kb: $kb}) SET c.since = timestamp()"""
END_COMMIT = """CYPHER 5 MATCH (c:KnowledgeBaseCommit {kb: $kb}) DELETE c"""

# The pointer: which generation is shown, and who may write.
POINTER = f"""CYPHER 5 {COMMITS} MATCH (k:KnowledgeBase {{kb: $kb}})
    RETURN properties(k) AS k, commits"""
TAKE_LEASE = """CYPHER 5 MERGE (k:KnowledgeBase {kb: $kb})
    SET k.lease_token = coalesce(k.lease_token, 0)
    WITH k WHERE k.lease_holder IS NULL OR k.lease_holder IN [$holder, $former]
        OR k.lease_until < timestamp()
    SET k.lease_holder = $holder, k.lease_token = k.lease_token + 1,
        k.lease_until = timestamp() + $milliseconds
    RETURN k.lease_token AS token"""
KEEP_LEASE = """CYPHER 5 MATCH (k:KnowledgeBase {kb: $kb})
    SET k.lease_until = CASE WHEN k.lease_token = $token
        THEN timestamp() + $milliseconds ELSE k.lease_until END
    WITH k WHERE k.lease_token = $token RETURN k.lease_token AS token"""
GIVE_LEASE_BACK = """CYPHER 5 MATCH (k:KnowledgeBase {kb: $kb})
    WHERE k.lease_token = $token REMOVE k.lease_holder, k.lease_until"""
NOTE = """CYPHER 5 MATCH (k:KnowledgeBase {kb: $kb}) SET k += $properties"""
SERVER_TIME = "CYPHER 5 RETURN timestamp() AS now"
FORGET = """CYPHER 5 MATCH (k:KnowledgeBase {kb: $kb}) DELETE k"""

# The counts come from the server's count store: no row is read.
COUNTS = """CYPHER 5
    CALL () { MATCH (n:S_Document) RETURN count(n) AS document }
    CALL () { MATCH (n:S_Chunk) RETURN count(n) AS chunk }
    CALL () { MATCH (n:S_Entity) RETURN count(n) AS entity }
    CALL () { MATCH (n:S_Community) RETURN count(n) AS community }
    CALL () { MATCH (:S_Entity)-[r]->() RETURN count(r) AS any }
    CALL () { MATCH (:S_Entity)-[r:IN_COMMUNITY]->() RETURN count(r) AS membership }
    RETURN document, chunk, entity, community, any - membership AS relation"""

# Writing rows: nodes by their label (%s), then what joins them.
# Vectors are set by a procedure, which stores them in half the space that a list takes.
_SET_VECTOR = """WITH n, row WHERE row.vector IS NOT NULL
    CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)"""
_CREATE = """CYPHER 5 UNWIND $rows AS row
    CREATE (n:S_%s) SET n = row.properties, n.born = $born"""
CREATE_NODES = f"{_CREATE} {_SET_VECTOR}"
CREATE_PUBLIC_NODES = f"{_CREATE} SET n:$(row.labels) {_SET_VECTOR}"
PUT_NODES = f"""CYPHER 5 UNWIND $rows AS row
    MERGE (n:S_%s {{item_id: row.item_id}})
    WITH n, row, [one IN labels(n) WHERE one <> $label] AS former
    REMOVE n:$(former) SET n = row.properties, n.born = $born SET n:$(row.labels)
    {_SET_VECTOR}"""
PUT_PREDICATES = f"""CYPHER 5 UNWIND $rows AS row
    MERGE (n:S_Predicate {{item_id: row.item_id}})
    ON CREATE SET n.predicate = row.predicate, n.kb = $kb, n.born = $born
    {_SET_VECTOR}"""
PUT_PLACES = """CYPHER 5 UNWIND $rows AS row
    MATCH (c:S_Chunk {item_id: row.item_id}) MATCH (d:S_Document {item_id: row.doc_id})
    MERGE (c)-[:FROM_DOCUMENT]->(d)"""
DROP_ORDER = """CYPHER 5 UNWIND $rows AS doc_id
    MATCH (:S_Chunk {doc_id: doc_id})-[n:NEXT_CHUNK]->() DELETE n"""
PUT_ORDER = """CYPHER 5 UNWIND $rows AS doc_id
    MATCH (c:S_Chunk {doc_id: doc_id})
    WITH doc_id, c ORDER BY c.start, c.item_id
    WITH doc_id, collect(c) AS chunks
    UNWIND range(0, size(chunks) - 1) AS i
    WITH i, chunks[i] AS c, chunks[i + 1] AS following
    SET c.index = i
    WITH c, following WHERE following IS NOT NULL
    CREATE (c)-[:NEXT_CHUNK]->(following)"""
PUT_MENTIONS = """CYPHER 5 UNWIND $rows AS row
    MATCH (c:S_Chunk {item_id: row.member}) MATCH (e:S_Entity {item_id: row.owner})
    MERGE (c)-[m:MENTIONS]->(e) ON CREATE SET m.born = $born, m.kb = $kb"""
PUT_MEMBERS = """CYPHER 5 UNWIND $rows AS row
    MATCH (e:S_Entity {item_id: row.member}) MATCH (c:S_Community {item_id: row.owner})
    MERGE (e)-[m:IN_COMMUNITY]->(c) ON CREATE SET m.born = $born, m.kb = $kb"""
PUT_PARENTS = """CYPHER 5 UNWIND $rows AS row
    MATCH (c:S_Community {item_id: row.item_id})
    OPTIONAL MATCH (c)-[former:PARENT_COMMUNITY]->() DELETE former
    WITH c, row MATCH (p:S_Community {item_id: row.parent})
    CREATE (c)-[:PARENT_COMMUNITY]->(p)"""
CREATE_RELATIONS = """CYPHER 5 UNWIND $rows AS row
    MATCH (s:S_Entity {item_id: row.source}) MATCH (t:S_Entity {item_id: row.target})
    CREATE (s)-[r:$(row.type)]->(t) SET r = row.properties, r.born = $born"""
_DEGREE = f"COUNT {{ (e)-[:{_PREDICATED}]-() }}"
SET_DEGREES = f"""CYPHER 5 UNWIND $rows AS item_id
    MATCH (e:S_Entity {{item_id: item_id}}) SET e.degree = {_DEGREE}"""
SET_DEGREES_OF_PAGE = f"""CYPHER 5 MATCH (e:S_Entity) WHERE e.item_id > $after
    WITH e ORDER BY e.item_id LIMIT $limit SET e.degree = {_DEGREE}
    RETURN max(e.item_id) AS last"""

# What a change takes away.
DELETE_NODES = """CYPHER 5 UNWIND $rows AS item_id
    MATCH (n:S_%s {item_id: item_id}) DETACH DELETE n"""
DELETE_RELATIONS = f"""CYPHER 5 UNWIND $rows AS row
    MATCH (:S_Entity {{item_id: row.source}})-[r:{_PREDICATED}]->
        (:S_Entity {{item_id: row.target}})
    WHERE r.item_id = row.item_id DELETE r"""
# Relations without a text of their own: by the index of the shared type, else by looking at all.
_DELETE_AND_TELL = """WITH a, r, b, r.item_id AS item_id DELETE r
    RETURN item_id, a.item_id AS source, b.item_id AS target"""
DELETE_GENERIC_RELATIONS = f"""CYPHER 5 UNWIND $rows AS id
    MATCH (a:S_Entity)-[r:RELATES_TO {{id: $kb + '/' + id}}]->(b:S_Entity) {_DELETE_AND_TELL}"""
DELETE_TYPED_RELATIONS = f"""CYPHER 5
    MATCH (a:S_Entity)-[r:{_PREDICATED}]->(b:S_Entity) WHERE r.item_id IN $rows
    {_DELETE_AND_TELL}"""
RELATION_ENDS = """CYPHER 5 UNWIND $rows AS item_id MATCH (n:S_Relation {item_id: item_id})
    RETURN n.item_id AS item_id, n.source AS source, n.target AS target"""
MENTIONS = """CYPHER 5 UNWIND $rows AS item_id
    MATCH (e:S_Entity {item_id: item_id})<-[:MENTIONS]-(c:S_Chunk)
    RETURN item_id AS owner, c.item_id AS member"""
MEMBERS = """CYPHER 5 UNWIND $rows AS item_id
    MATCH (c:S_Community {item_id: item_id})<-[:IN_COMMUNITY]-(e:S_Entity)
    RETURN item_id AS owner, e.item_id AS member"""
DELETE_MENTIONS = """CYPHER 5 UNWIND $rows AS row
    MATCH (:S_Chunk {item_id: row.member})-[r:MENTIONS]->
        (:S_Entity {item_id: row.owner}) DELETE r"""
DELETE_MEMBERS = """CYPHER 5 UNWIND $rows AS row
    MATCH (:S_Entity {item_id: row.member})-[r:IN_COMMUNITY]->
        (:S_Community {item_id: row.owner}) DELETE r"""

# Turning the public labels from one space to the next, a page of own ids at a time.
PAGE = """CYPHER 5 MATCH (n:S_%s) WHERE n.item_id > $after
    WITH n ORDER BY n.item_id LIMIT $limit RETURN n.item_id AS item_id, n.type AS type"""
HIDE_PAGE = """CYPHER 5 MATCH (n:S_%s)
    WHERE n.item_id > $after AND ($upto IS NULL OR n.item_id <= $upto)
    WITH n, [one IN labels(n) WHERE one <> $label] AS public REMOVE n:$(public), n.id"""
SHOW_PAGE = """CYPHER 5 UNWIND $rows AS row MATCH (n:S_%s {item_id: row.item_id})
    SET n.id = $kb + '/' + n.item_id SET n:$(row.labels)"""

# Clearing away.
DROP_EDGES = """CYPHER 5 MATCH (:S_%s)-[r]->()
    WITH r LIMIT $limit DELETE r RETURN count(*) AS dropped"""
DROP_NODES = """CYPHER 5 MATCH (n:S_%s)
    WITH n LIMIT $limit DETACH DELETE n RETURN count(*) AS dropped"""

# What a question asks comes as rows of two columns, `kind` and `row`, from branches that are joined
# by `UNION ALL`, a hundred rows in a record, for each record costs as much as what it holds. The
# last branch tells the generation that is shown once all else was read, none while a change is
# committed: where it is still the one that the question began with, a single generation was seen.
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
