/** One of several parts of an input that are answered separately. `number` begins with 1. */
export type Shard = { number: number; of: number }

/** Returns the indexes of the rows of a shard. The shards of an input differ by at most one row. */
export function rowsOfShard({ number, of }: Shard, rows: number): { from: number; to: number } {
  return { from: Math.floor(((number - 1) * rows) / of), to: Math.floor((number * rows) / of) }
}
