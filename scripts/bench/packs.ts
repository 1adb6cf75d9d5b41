import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingRequirement } from './layers.ts'
import { benchNearest } from './nearest.ts'
import { benchParts } from './parts.ts'
import { benchPolygons } from './polygons.ts'
import { benchPresetParts } from './preset-parts.ts'
import { openPostgis } from './postgis.ts'
import { reportSkipped } from './report.ts'

/**
 * Compares packs in parts with packs in one file, and packs with PostGIS: the same queries on the same layers, on the
 * same machine, in one run.
 */
export async function benchPacks(seed: number): Promise<void> {
  await benchParts(seed)
  await benchPresetParts(seed)
  const why = missingRequirement()
  if (why) return reportSkipped('packs beside PostGIS', why)
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-postgis-'))
  const postgis = await openPostgis(folder, 'packs beside PostGIS')
  try {
    if (!postgis) return
    await benchPolygons(folder, postgis, seed)
    await benchNearest(folder, postgis, seed)
  } finally {
    await postgis?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
