import { expect, test } from 'bun:test'
import { hasStrace } from '../support/strace.ts'
import { testFaultyWrites } from './faulty-writes.ts'

test.skipIf(!hasStrace)(
  'when the disk fails a write, the request gets 503, fetches still work, the process survives, and the database stays intact',
  async () => {
    const { injected, died, unanswered, corrupt } = await testFaultyWrites(3)
    expect(injected).toBeGreaterThan(3)
    expect([died, unanswered, corrupt]).toEqual([0, 0, 0])
  },
)
