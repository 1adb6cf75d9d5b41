import { join } from 'node:path'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createEmbeddedGazetteer } from '../../src/place/embedded-gazetteer.ts'

/** The real gazetteer. The embedded data stay open until the process ends. */
export function realGazetteer() {
  return createEmbeddedGazetteer(openEmbeddedData(join(import.meta.dir, '..', '..', 'dist', 'embedded.bin')))
}
