import { afterAll, afterEach } from 'bun:test'
import { join } from 'node:path'
import { newFolder, startFieldstone, type Fieldstone } from './fieldstone.ts'

/**
 * The programs that the tests of a file start. Each is killed after its test; their folder is removed after the last
 * test.
 */
export function createProcessGroup(): {
  root: string
  newData(): string
  start(words: string[], env?: Record<string, string>, folder?: string): Fieldstone
} {
  const { folder: root, remove } = newFolder()
  const started: Fieldstone[] = []
  let count = 0
  afterEach(async () => {
    for (const it of started.splice(0)) {
      it.signal('SIGKILL')
      await it.end()
    }
  })
  afterAll(remove)
  return {
    root,
    newData: () => join(root, `data-${count++}`),
    start(words, env = {}, folder = root) {
      const it = startFieldstone(words, env, folder)
      started.push(it)
      return it
    },
  }
}

/** The address that a started server prints. */
export async function waitForAddress(it: Fieldstone): Promise<string> {
  return (await it.waitForOutput(/answers at (http:\S+)/))[1]!
}
