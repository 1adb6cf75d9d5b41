import { expect, test } from 'bun:test'
import { runWithKills } from './kills.ts'

const seed = 20_261_121

test('killed at sixty random moments, no acknowledged run is lost, no location has two entries, and no committed location is answered again', async () => {
  const both = await Promise.all([seed, seed + 1].map((it) => runWithKills({ kills: 30, seed: it, locations: 8 })))
  for (const { extraCalls, recovered, hedgesMax, ...rest } of both) {
    expect(rest).toEqual({ kills: 30, acknowledged: 30, lost: 0, doubled: 0, requestsAfterward: 0, givenUp: 0 })
    expect(extraCalls).toBeLessThanOrEqual(recovered + hedgesMax)
  }
}, 180_000)
