import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone token`. */
export const tokenPage: CommandPage = {
  summary: "make a further token of the owner's",
  usage: ['token new [--name <words>]'],
  description: [
    "Makes a token of the owner's, good for 90 days, and prints it. It is shown this once; only its hash is kept. Works while the server runs.",
  ],
  actions: ['new'],
  maxArguments: 1,
  options: {
    name: {
      valueName: 'words',
      description: 'what it is called in the list of tokens, in at most 100 characters',
      defaultText: 'command line',
    },
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_DATA'],
  examples: [['fieldstone token new --name backup-script', 'prints a token']],
}

/** `fieldstone user`. */
export const userPage: CommandPage = {
  summary: 'invite a person, or make a link for a new password',
  usage: ['user add <name> [--scopes <a,b,…>]', 'user link [<name>]'],
  description: [
    "add makes an account and prints a link, good once and for a week, at which the person sets a password. link prints one for an account that is there (the owner's when no name is given), for a first or a new password. Both work while the server runs; the link begins with FIELDSTONE_BASE_URL.",
  ],
  actions: ['add', 'link'],
  maxArguments: 2,
  options: { scopes: sharedOptions.scopes, data: sharedOptions.data },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_BASE_URL'],
  exitCodes: { 1: 'there is such an account already, or there is none' },
  examples: [
    ['fieldstone user add ada --scopes fetch,lookup', 'prints a link to send'],
    ['fieldstone user link', "a link for the owner's password"],
  ],
}

/** `fieldstone login`. */
export const loginPage: CommandPage = {
  summary: 'log in at a server from this machine',
  usage: ['login [--server <address>] [--scopes <a,b,…>]'],
  description: [
    'Logs in without typing a password here: shows a code, which you confirm in a browser. The login is kept in ~/.config/fieldstone, readable by you alone, and is what `fieldstone mcp` uses.',
  ],
  options: { server: { ...sharedOptions.server, defaultText: 'FIELDSTONE_BASE_URL' }, scopes: sharedOptions.scopes },
  environment: ['FIELDSTONE_BASE_URL'],
  exitCodes: { 1: 'the login was refused or not confirmed in time' },
  examples: [['fieldstone login --server https://fieldstone.example', 'shows a code']],
}

/** `fieldstone mcp`. */
export const mcpPage: CommandPage = {
  summary: 'the agent protocol on standard input and output',
  usage: ['mcp [--server <address>]', 'mcp --local'],
  description: [
    'Speaks the Model Context Protocol on standard input and output, for an agent on this machine: on behalf of a server, with the login of `fieldstone login` (or with FIELDSTONE_TOKEN); with --local from within this process, without a server or an account.',
  ],
  options: {
    server: sharedOptions.server,
    local: { description: 'without a server, on the data folder of this machine' },
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_TOKEN', 'FIELDSTONE_DATA'],
  examples: [['fieldstone mcp --local', 'for an agent that starts it']],
}
