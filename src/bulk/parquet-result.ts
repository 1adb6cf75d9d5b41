import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { ArtifactShape } from '../runs/artifacts/artifact-columns.ts'
import { ParquetRows, type FieldTypes } from '../runs/artifacts/artifact-parquet.ts'

const groupRows = 32_768

/** Writes a result of JSON lines as GeoParquet. */
export async function writeParquetFile(lines: string, target: string, shape: ArtifactShape, fieldTypes: FieldTypes) {
  const file = openSync(target, 'w')
  try {
    const parquet = new ParquetRows({ ...shape, fieldTypes, groupRows }, (bytes) => {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    })
    for await (const line of createInterface({ input: createReadStream(lines), crlfDelay: Infinity }))
      parquet.add(JSON.parse(line) as Record<string, unknown>)
    parquet.finish()
  } finally {
    closeSync(file)
  }
}
