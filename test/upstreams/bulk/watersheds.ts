import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bulkFiles } from './bulk-file.ts'

/**
 * USGS: the national file geodatabase of watersheds. The file has the rows of the simulated service, written by
 * `ogr2ogr -f OpenFileGDB`. Names of layers and columns are those of the publisher.
 */
export const watersheds = bulkFiles('prd-tnm.s3.amazonaws.com', {
  '/StagedProducts/Hydrography/WBD/National/GDB/WBD_National_GDB.zip': () =>
    readFileSync(join(import.meta.dir, '..', '..', 'fixtures', 'WBD_National_GDB.zip')),
})
