import type { Environment } from '../../config.ts'
import { UsageError } from '../usage-error.ts'

const shardsMax = 100_000

/**
 * Returns the shard of --shard, or of --shards with the JOB_COMPLETION_INDEX of a Kubernetes job, which begins with 0;
 * null if the whole input is answered. @throws {UsageError}
 */
export function shardOf(
  flags: { readonly shard?: string | boolean | undefined; readonly shards?: string | boolean | undefined },
  env: Environment,
): Shard | null {
  if (typeof flags.shard === 'string') {
    if (flags.shards !== undefined) throw new UsageError('--shard and --shards cannot be combined.')
    const [, number, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(flags.shard) ?? []
    return checked({ number: Number(number), of: Number(of) }, `--shard ${JSON.stringify(flags.shard)}`)
  }
  const index = env.JOB_COMPLETION_INDEX
  const count = typeof flags.shards === 'string' ? flags.shards : env.JOB_COMPLETIONS
  if (index === undefined && flags.shards === undefined) return null
  if (index === undefined)
    throw new UsageError('--shards requires the setting JOB_COMPLETION_INDEX. Use --shard, such as --shard 3/64.')
  if (count === undefined)
    throw new UsageError(
      'JOB_COMPLETION_INDEX is set, but not the number of shards. Add --shards <n>, set JOB_COMPLETIONS, or add --shard 1/1 to answer all rows.',
    )
  const name = typeof flags.shards === 'string' ? '--shards' : 'JOB_COMPLETIONS'
  const number = /^\d{1,6}$/.test(index) ? Number(index) + 1 : NaN
  return checked({ number, of: Number(count) }, `JOB_COMPLETION_INDEX ${index} with ${name} ${JSON.stringify(count)}`)
}

function checked(shard: Shard, given: string): Shard {
  const { number, of } = shard
  if (Number.isInteger(number) && Number.isInteger(of) && number >= 1 && number <= of && of <= shardsMax) return shard
  throw new UsageError(
    `${given} is not a shard. Use a number and a count, such as --shard 3/64, with at most ${shardsMax.toLocaleString('en-US')} shards.`,
  )
}

/** One of several parts of an input that are answered separately. `number` begins with 1. */
export type Shard = { number: number; of: number }

/** Returns the indexes of the rows of a shard. The shards of an input differ by at most one row. */
export function rowsOfShard({ number, of }: Shard, rows: number): { from: number; to: number } {
  return { from: Math.floor(((number - 1) * rows) / of), to: Math.floor((number * rows) / of) }
}
