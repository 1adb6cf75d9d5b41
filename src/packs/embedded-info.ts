import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'

/** The SHA-256 of the embedded file, and the vintage of each layer. */
export type EmbeddedInfo = { sha256: string; vintages: Record<string, string> }

export function readEmbeddedInfo(file: string): EmbeddedInfo {
  const db = new Database(file, { readonly: true })
  try {
    const rows = db
      .query<{ layer: string; vintage: string }, []>('SELECT layer, vintage FROM embedded_manifest ORDER BY layer')
      .all()
    return {
      sha256: new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex'),
      vintages: Object.fromEntries(rows.map(({ layer, vintage }) => [layer, vintage])),
    }
  } finally {
    db.close()
  }
}
