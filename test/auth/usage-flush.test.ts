import { Database } from 'bun:sqlite'
import { afterEach, expect, jest, test } from 'bun:test'
import { join } from 'node:path'
import { openTestService } from '../support/test-service.ts'
import { usesPostgres } from '../support/test-state.ts'

afterEach(() => jest.useRealTimers())

test.skipIf(usesPostgres)(
  'counts of a flush that found the database busy are written by the next flush, and no error is logged',
  async () => {
    jest.useFakeTimers()
    const service = openTestService()
    const other = new Database(join(service.app.config.data, 'state.db'))
    try {
      const requests = () =>
        other
          .query<{ requests: number | null }, []>("SELECT sum(requests) AS requests FROM usage WHERE source = ''")
          .get()!.requests
      expect((await service.send('/v1/users/me')).status).toBe(200)
      other.run('BEGIN IMMEDIATE')
      jest.advanceTimersByTime(10_000)
      expect(requests()).toBeNull()
      other.run('ROLLBACK')
      jest.advanceTimersByTime(10_000)
      expect(requests()).toBe(1)
      expect(service.logged.filter((line) => line.includes('"error"'))).toEqual([])
    } finally {
      other.close()
      await service.close()
    }
  },
)
