import { join } from 'node:path'
import { openEmbedded } from '../../src/packs/embedded.ts'
import { gazetteerOf } from '../../src/place/parsed-gazetteer.ts'

/** The real gazetteer; the embedded data are closed at the end of the process. */
export function realGazetteer() {
  return gazetteerOf(openEmbedded(join(import.meta.dir, '..', '..', 'dist', 'embedded.gpkg')))
}
