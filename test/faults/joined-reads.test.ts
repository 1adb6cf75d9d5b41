import { expect, test } from 'bun:test'
import { coalesceReads } from '../../src/drivers/coalesce-reads.ts'

test('of two coalesced reads, the second continues when the first aborts', async () => {
  const first = new AbortController()
  const second = new AbortController()
  const requests: [number, number][] = []
  const read = coalesceReads((offset, length, { signal }) => {
    requests.push([offset, length])
    return signal === second.signal
      ? Promise.resolve(new Uint8Array(length).fill(offset))
      : new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
          first.abort()
        })
  })
  const [gaveUp, wentOn] = await Promise.allSettled([read(0, 10, first), read(20, 5, second)])
  expect([gaveUp.status, wentOn]).toEqual(['rejected', { status: 'fulfilled', value: new Uint8Array(5).fill(20) }])
  expect(requests).toEqual([
    [0, 25],
    [20, 5],
  ])
})
