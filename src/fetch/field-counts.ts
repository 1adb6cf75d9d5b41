/**
 * The fields of an answer, or of several `answers`, that came from one source. Billed calls are counted separately,
 * when they are made.
 */
export type SourceUsage = { source: string; fields: number; answers?: number }

/** What metrics and usage tell apart in a result. */
type CountedResult = { source: string } & ({ status: 'ok' | 'absent' } | { status: 'failed'; error: string })

/** What an answer adds to the metrics and to the usage of its account. */
export type FieldCounts = {
  /** One result for each source and status. Failed results are not joined. */
  results: { result: CountedResult; fields: number }[]
  usages: SourceUsage[]
  hasFailures: boolean
}

/** Returns what the results of one answer add. */
export function countResults(members: readonly CountedResult[]): FieldCounts {
  const results: FieldCounts['results'] = []
  const usages: SourceUsage[] = []
  for (const result of members) {
    const usage = usages.find(({ source }) => source === result.source)
    if (usage) usage.fields++
    else usages.push({ source: result.source, fields: 1 })
    const same = results.find((it) => isCountedTogether(it.result, result))
    if (same) same.fields++
    else results.push({ result, fields: 1 })
  }
  return { results, usages, hasFailures: members.some(({ status }) => status === 'failed') }
}

/** The errors of failed fields are counted by their codes. */
function isCountedTogether(one: CountedResult, other: CountedResult): boolean {
  return one.source === other.source && one.status === other.status && one.status !== 'failed'
}
