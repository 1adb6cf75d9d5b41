import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { streamLines } from '../async/stream-lines.ts'
import { artifactColumnsOf } from '../runs/artifacts/artifact-columns.ts'
import { openRowFile, type RowFileFormat } from '../runs/artifacts/row-file.ts'
import type { BulkJob } from './bulk-job.ts'
import { createBlockGarbageCollector } from './answer-blocks.ts'

/** With 50 fields, a group of Parquet takes about 40 MB of memory. */
const groupRows = 8_192
const rowsBetweenCollections = 256

/** Writes a result of lines as a file of another format. */
export async function writeRowFile(
  lines: string,
  target: string,
  format: RowFileFormat,
  { shape, fieldTypes, table }: Pick<BulkJob, 'shape' | 'fieldTypes' | 'table'>,
): Promise<void> {
  // A GeoPackage continues a file that is there.
  rmSync(target, { force: true })
  const handle = openSync(target, 'w')
  const write = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at)
  }
  const columns = artifactColumnsOf(shape)
  const spec = { columns, fieldTypes, hasAreas: table.kind === 'area_batch', groupRows }
  const file = await openRowFile(format, spec, { path: target, write })
  const collectGarbage = createBlockGarbageCollector()
  let rows = 0
  try {
    for await (const line of streamLines(Bun.file(lines).stream())) {
      const [geometry, ...values] = JSON.parse(line) as unknown[]
      file.add(geometry, values)
      if (++rows % rowsBetweenCollections === 0) collectGarbage()
    }
    file.finish()
  } finally {
    file.close()
    closeSync(handle)
  }
}
