import type { CsvRecord } from './csv-records.ts'

/** Takes the first records. */
export async function takeRecords(records: AsyncGenerator<CsvRecord>, max: number): Promise<CsvRecord[]> {
  const taken: CsvRecord[] = []
  while (taken.length < max) {
    const { done, value } = await records.next()
    if (done) break
    taken.push(value)
  }
  return taken
}

/** Yields the records that were taken, and then the others. */
export async function* withSample(taken: CsvRecord[], rest: AsyncIterable<CsvRecord>): AsyncGenerator<CsvRecord> {
  yield* taken
  yield* rest
}
