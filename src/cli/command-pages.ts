import type { CommandPage } from './command-page.ts'
import { loginPage, mcpPage, tokenPage, userPage } from './pages/access.ts'
import { doctorPage, healthcheckPage, nodesPage } from './pages/health.ts'
import { completionPage, manPage, samplePage, versionPage } from './pages/program.ts'
import { packPage } from './pages/pack.ts'
import { areaPage, askPage, fetchPage, fieldsPage, geocodePage, lookupPage, presetsPage } from './pages/question.ts'
import { reportPage } from './pages/report.ts'
import { runPage } from './pages/run.ts'
import { servePage } from './pages/serve.ts'
import { backupPage, migrateStatePage, restorePage } from './pages/storage.ts'

const helpPage: CommandPage = {
  summary: 'Show help',
  usage: ['help [<command> [<action>]]', 'help settings'],
  description: [
    'Prints the help page of a command, or the list of commands. `help settings` prints every setting with its default.',
  ],
  maxArguments: 2,
  options: {},
  examples: [
    ['fieldstone help run', 'Show the examples and options of run'],
    ['fieldstone help settings', 'Show all settings'],
  ],
}

/** The pages of all commands, in the order of the overview. A command takes exactly the flags of its page. */
export const commandPages = {
  serve: servePage,
  fetch: fetchPage,
  area: areaPage,
  geocode: geocodePage,
  lookup: lookupPage,
  ask: askPage,
  report: reportPage,
  run: runPage,
  fields: fieldsPage,
  presets: presetsPage,
  pack: packPage,
  token: tokenPage,
  user: userPage,
  login: loginPage,
  mcp: mcpPage,
  backup: backupPage,
  restore: restorePage,
  'migrate-state': migrateStatePage,
  nodes: nodesPage,
  doctor: doctorPage,
  healthcheck: healthcheckPage,
  sample: samplePage,
  version: versionPage,
  completion: completionPage,
  man: manPage,
  help: helpPage,
} satisfies Record<string, CommandPage>

export type CommandName = keyof typeof commandPages

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commandPages, name)
}
