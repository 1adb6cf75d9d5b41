import { afterAll, expect, test } from 'bun:test'
import { newFolder, startFieldstone } from './fieldstone.ts'

const { folder, remove } = newFolder()
afterAll(remove)

test.each(['help serve', 'man', 'pack list --all'])('who reads no further, as head does, gets no stack trace: fieldstone %s', async (words) => {
  // It begins when the other end is closed.
  const piped = ['sh', '-c', `trap '' PIPE; { while echo; do :; done 2>/dev/null; "$@"; echo $? >&2; } | true`, 'sh']
  const { out, err } = await startFieldstone(words.split(' '), {}, folder, piped).end()
  expect([out, err]).toEqual(['', '141\n'])
})
