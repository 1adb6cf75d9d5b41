import { expect, test } from 'bun:test'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
openState(`${folder}/data`).close()

test.each(['help settings', 'man', 'pack list --all'])(
  'a closed output pipe, as with head, causes no stack trace: fieldstone %s',
  async (words) => {
    // It starts after the other end is closed.
    const piped = ['sh', '-c', `trap '' PIPE; { while echo; do :; done 2>/dev/null; "$@"; echo $? >&2; } | true`, 'sh']
    const { out, err } = await startFieldstone(words.split(' '), {}, folder, piped).end()
    expect([out, err]).toEqual(['', '141\n'])
  },
)

test.each(['help', 'token new', 'man'])(
  'output that cannot be written to a full disk causes one message: fieldstone %s',
  async (words) => {
    const { code, err } = await startFieldstone(words.split(' '), {}, folder, [
      'sh',
      '-c',
      'exec "$@" >/dev/full',
      'sh',
    ]).end()
    expect([code, err]).toEqual([1, expect.stringMatching(/^Cannot write to standard output: ENOSPC[^\n]*\n$/)])
  },
)

test('a server whose log pipe is closed continues to answer', async () => {
  const reader = ['bash', '-c', 'exec "$@" 2> >(head -c 1 >/dev/null)', 'bash']
  const service = startFieldstone(['serve'], { FIELDSTONE_LOG: 'debug', FIELDSTONE_AUTH: 'off' }, folder, reader)
  try {
    const [, url] = await service.waitForOutput(/answers at (http:\S+)/)
    const statuses: number[] = []
    for (let i = 0; i < 20; i++) statuses.push((await fetch(`${url}/healthz`)).status)
    expect(statuses).toEqual(Array(20).fill(200))
    service.signal('SIGTERM')
    expect((await service.end()).code).toBe(0)
  } finally {
    service.signal('SIGKILL')
  }
})
