import { expect, test } from 'bun:test'
import { hasStrace } from '../strace.ts'
import { faultyWrites } from './faulty-writes.ts'

test.skipIf(!hasStrace)(
  'when the disk refuses a write the request is answered 503, fetches go on, the process lives, and the database stays sound',
  async () => {
    const { injected, died, unanswered, unsound } = await faultyWrites(3)
    expect(injected).toBeGreaterThan(3)
    expect([died, unanswered, unsound]).toEqual([0, 0, 0])
  },
  100_000,
)
