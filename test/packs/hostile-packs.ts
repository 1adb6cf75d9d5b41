import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { blob, boxRing, polygonWkb } from './encode-wkb.ts'
import { writePack } from './write-pack.ts'

/** The names of the layer, its attribute and its file that the catalog reads. */
export type HostilePackTarget = { path: string; layer: string; attributes: readonly string[] }

const world = [-180, 180, -90, 90] as const
const square = blob(polygonWkb(boxRing(-105, 39, -104, 40)))

/** Packs that harm whoever reads them without a check. Each function writes one to `path`. */
export const hostilePacks: Record<string, (target: HostilePackTarget) => void> = {
  'an R-tree that points at itself': (target) => {
    writeValid(target)
    setNode(target, 1, { level: 40, children: Array<number>(50).fill(1) })
  },
  'an R-tree whose nodes share their children': (target) => {
    writeValid(target)
    for (let id = 1; id <= 20; id++) setNode(target, id, { level: 20 - id, children: Array<number>(50).fill(id + 1) })
  },
  'an R-tree with more levels than SQLite allows': (target) => {
    writeValid(target)
    setNode(target, 1, { level: 60_000, children: [1] })
  },
  'an R-tree whose node declares more cells than it has': (target) => {
    writeValid(target)
    setNode(target, 1, { level: 0, children: [], declaredCells: 65_535 })
  },
  'an R-tree that hides a feature': (target) => {
    writeValid(target)
    run(target, (db) => db.run(`INSERT INTO "${target.layer}" (geom) SELECT geom FROM "${target.layer}"`))
  },
  'a generated geometry column': (target) => {
    writeWith(target, 'geom BLOB AS (CAST(zeroblob(900000000) AS BLOB))')
  },
  'a generated attribute column': (target) => {
    writeWith(target, `geom BLOB, ${quoted(target.attributes)[0]} TEXT AS (hex(zeroblob(400000000)))`, 1)
  },
  'a generated node column in its R-tree': (target) => {
    writeWith(target, 'geom BLOB')
    run(target, (db) =>
      db.run(`CREATE TABLE ${nodeTable(target)} (nodeno INTEGER PRIMARY KEY, data AS (zeroblob(900000000)))`),
    )
  },
  'a layer that is a virtual table': (target) => {
    writeWith(target, 'geom BLOB')
    run(target, (db) => {
      db.run(`DROP TABLE "${target.layer}"`)
      db.run(`CREATE VIRTUAL TABLE "${target.layer}" USING fts5(geom, ${quoted(target.attributes).join(', ')})`)
    })
  },
  'metadata from an endless query': (target) => {
    writeValid(target)
    run(target, (db) => {
      db.run('ALTER TABLE gpkg_contents RENAME TO stored')
      db.run(
        `CREATE VIEW gpkg_contents AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT '${target.layer}' AS table_name, 'features' AS data_type, NULL AS last_change FROM n`,
      )
      db.run('CREATE TABLE gpkg_CONTENTS_ (table_name)')
    })
  },
  'a check constraint that fills the memory': (target) => {
    writeWith(target, 'geom BLOB, extra INTEGER CHECK (length(zeroblob(900000000)) < extra)')
  },
  'a geometry of 40 MB': (target) => {
    writeValid(target)
    run(target, (db) => db.run(`UPDATE "${target.layer}" SET geom = ?`, [wideGeometry()]))
  },
  'an attribute of 40 MB': (target) => {
    writeValid(target)
    run(target, (db) => db.run(`UPDATE "${target.layer}" SET ${quoted(target.attributes)[0]} = ?`, ['x'.repeat(40e6)]))
  },
  'a page that points at itself': (target) => {
    writeValid(target)
    run(target, (db) => {
      const insert = db.prepare(`INSERT INTO "${target.layer}" (geom) VALUES (?)`)
      db.transaction(() => {
        for (let i = 0; i < 5_000; i++) insert.run(square)
      })()
    })
    pointPageAtItself(target)
  },
}

/**
 * A pack with one square, whose R-tree has a root with one row. Its node table has no virtual table, because SQLite
 * does not let a program change the nodes of one.
 */
function writeValid(target: HostilePackTarget): void {
  const { path, layer, attributes } = target
  writePack(path)
    .layer(layer, [{ geom: square, attributes: Object.fromEntries(attributes.map((name) => [name, 'a'])) }])
    .run(`CREATE TABLE ${nodeTable(target)} (nodeno INTEGER PRIMARY KEY, data BLOB)`)
    .close()
  setNode(target, 1, { level: 0, children: [1] })
}

/** A pack whose layer has these columns and the attributes after the first `skip`. It has one row. */
function writeWith({ path, layer, attributes }: HostilePackTarget, columns: string, skip = 0): void {
  const all = [columns, ...quoted(attributes.slice(skip))].join(', ')
  writePack(path)
    .layer(layer, [])
    .run(`DROP TABLE "${layer}"`)
    .run(`CREATE TABLE "${layer}" (fid INTEGER PRIMARY KEY, ${all})`)
    .run(`INSERT INTO "${layer}" (fid) VALUES (1)`)
    .close()
}

function run({ path }: HostilePackTarget, work: (db: Database) => void): void {
  using db = new Database(path)
  db.run('PRAGMA ignore_check_constraints = ON')
  work(db)
}

function nodeTable({ layer }: HostilePackTarget): string {
  return `"rtree_${layer}_geom_node"`
}

/** Writes a node whose children all have the box of the world. */
function setNode(
  target: HostilePackTarget,
  id: number,
  node: { level: number; children: number[]; declaredCells?: number },
): void {
  const bytes = Buffer.alloc(4 + 24 * node.children.length)
  bytes.writeUInt16BE(node.level, 0)
  bytes.writeUInt16BE(node.declaredCells ?? node.children.length, 2)
  for (const [i, child] of node.children.entries()) {
    bytes.writeBigInt64BE(BigInt(child), 4 + 24 * i)
    for (const [k, edge] of world.entries()) bytes.writeFloatBE(edge, 12 + 24 * i + 4 * k)
  }
  run(target, (db) => db.run(`INSERT OR REPLACE INTO ${nodeTable(target)} VALUES (?, ?)`, [id, bytes]))
}

/** A polygon of one ring with 2.5 million vertices. */
function wideGeometry(): Uint8Array {
  const vertices = 2_500_000
  const coordinates = Float64Array.from({ length: 2 * vertices }, (_, i) =>
    i % 2 === 0 ? -105 + i / 2 / vertices : 39 + ((i >> 1) % 2),
  )
  const head = Buffer.from(blob(polygonWkb(boxRing(-105, 39, -104, 40)), { envelope: 0 })).subarray(0, 21)
  head.writeUInt32LE(vertices, 17)
  return Buffer.concat([head, new Uint8Array(coordinates.buffer)])
}

/** Overwrites the child pointers in the root page of the layer with the page itself. */
function pointPageAtItself(target: HostilePackTarget): void {
  const db = new Database(target.path, { readonly: true })
  const { rootpage } = db
    .query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_master WHERE name = ?')
    .get(target.layer)!
  const { page_size } = db.query<{ page_size: number }, []>('PRAGMA page_size').get()!
  db.close()
  const bytes = readFileSync(target.path)
  const page = bytes.subarray((rootpage - 1) * page_size, rootpage * page_size)
  for (let cell = 0; cell < page.readUInt16BE(3); cell++) page.writeUInt32BE(rootpage, page.readUInt16BE(12 + 2 * cell))
  writeFileSync(target.path, bytes)
}

function quoted(names: readonly string[]): string[] {
  return names.map((name) => `"${name}"`)
}
