import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missing } from './layers.ts'
import { nearby } from './nearby.ts'
import { polygons } from './polygons.ts'
import { openPostgis } from './postgis.ts'
import { skipped } from './report.ts'

/** Compares packs with PostGIS: the same queries on the same layers, on the same machine, in one run. */
export async function packs(seed: number): Promise<void> {
  const why = missing()
  if (why) return skipped('packs beside PostGIS', why)
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-postgis-'))
  const postgis = await openPostgis(folder)
  try {
    if (!postgis) return skipped('packs beside PostGIS', 'Debian postgresql and postgresql-15-postgis-3 are not here')
    await polygons(folder, postgis, seed)
    await nearby(folder, postgis, seed)
  } finally {
    await postgis?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
