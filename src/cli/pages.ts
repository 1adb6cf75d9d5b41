import type { Page } from './page.ts'
import { login, mcp, token, user } from './pages/access.ts'
import { doctor, healthcheck } from './pages/health.ts'
import { completion, man, version } from './pages/itself.ts'
import { pack } from './pages/pack.ts'
import { ask, fetch, geocode, lookup } from './pages/question.ts'
import { run } from './pages/run.ts'
import { serve } from './pages/serve.ts'
import { backup, restore } from './pages/storage.ts'

const help: Page = {
  purpose: 'the page of a command',
  usage: ['help [<command>]'],
  says: ['Prints the page of a command, or the overview.'],
  words: 1,
  options: {},
  examples: [['fieldstone help serve', 'what serve takes']],
}

/** The commands, in the order of the overview. A command is what has a page here; what it takes is what its page says. */
export const pages = { serve, fetch, geocode, lookup, ask, run, pack, token, user, login, mcp, backup, restore, doctor, healthcheck, version, completion, man, help } satisfies Record<string, Page>

export type CommandName = keyof typeof pages

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(pages, name)
}
