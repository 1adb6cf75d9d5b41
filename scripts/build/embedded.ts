import { Database } from 'bun:sqlite'

/** A layer of the embedded data, from its manifest. */
export type EmbeddedLayer = {
  layer: string
  title: string
  packages: { name: string; version: string; file: string; sha256: string }[]
  publisher: string
  source_url: string
  licence: string
  attribution: string
  vintage: string
  derivation: string
}

/** Returns the layers of the embedded GeoPackage, ordered by name. */
export function embeddedLayers(file: string): EmbeddedLayer[] {
  const db = new Database(file, { readonly: true })
  try {
    const rows = db
      .query<Omit<EmbeddedLayer, 'packages'> & { packages: string }, []>(
        'SELECT layer, title, packages, publisher, source_url, licence, attribution, vintage, derivation FROM embedded_manifest ORDER BY layer',
      )
      .all()
    return rows.map((row) => ({ ...row, packages: JSON.parse(row.packages) as EmbeddedLayer['packages'] }))
  } finally {
    db.close()
  }
}
