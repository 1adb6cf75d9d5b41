import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone token`. */
export const tokenPage: CommandPage = {
  summary: 'Create an owner token',
  usage: ['token new [--name <words>]'],
  description: [
    'Creates a token for the owner account and prints it. The token is valid for 90 days and is shown only once; the database stores its hash. The command works while the server runs.',
  ],
  actions: ['new'],
  maxArguments: 1,
  options: {
    name: {
      valueName: 'words',
      description: 'Name in the list of tokens, 1 to 100 characters.',
      defaultText: 'command line',
    },
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_DATABASE'],
  examples: [['fieldstone token new --name backup-script', 'Print a new token']],
}

/** `fieldstone user`. */
export const userPage: CommandPage = {
  summary: 'Invite a person, or create a password link',
  usage: ['user add <name> [--scopes <a,b,…>]', 'user link [<name>]'],
  description: [
    '`user add` creates an account and prints an invitation link, with which the person sets a password. `user link` prints a link to set or reset the password of an existing account (default: the owner account). A link works once and expires after 7 days.',
    'Both commands work while the server runs. Links start with FIELDSTONE_BASE_URL.',
  ],
  actions: ['add', 'link'],
  maxArguments: 2,
  options: { scopes: sharedOptions.scopes, data: sharedOptions.data },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_DATABASE', 'FIELDSTONE_BASE_URL'],
  exitCodes: { 1: 'add: the account already exists. link: there is no such account.' },
  examples: [
    ['fieldstone user add ada --scopes fetch,lookup', 'Print an invitation link for ada'],
    ['fieldstone user link', "Print a link that sets the owner's password"],
  ],
}

/** `fieldstone login`. */
export const loginPage: CommandPage = {
  summary: 'Log in to a server',
  usage: ['login [--server <address>] [--scopes <a,b,…>]'],
  description: [
    'Prints a code, which you confirm in a browser. You do not type a password on this machine. Every command with --server uses the login to that server. A login is never sent to a different server. The login is stored in ~/.config/fieldstone and readable only by you.',
  ],
  options: { server: { ...sharedOptions.server, defaultText: 'FIELDSTONE_BASE_URL' }, scopes: sharedOptions.scopes },
  environment: ['FIELDSTONE_BASE_URL'],
  exitCodes: { 1: 'The login was denied, or the code expired.' },
  examples: [['fieldstone login --server https://fieldstone.example', 'Print a code to confirm in a browser']],
}

/** `fieldstone mcp`. */
export const mcpPage: CommandPage = {
  summary: 'Run an MCP server on standard input and output',
  usage: ['mcp [--server <address>]', 'mcp --local'],
  description: [
    'Speaks the Model Context Protocol on standard input and output, for an agent on this machine. By default it forwards messages to a server, with the login of `fieldstone login` or with FIELDSTONE_TOKEN. With --local it answers in this process, without a server or an account.',
  ],
  options: {
    server: sharedOptions.server,
    local: { description: 'Answer in this process, from the data folder of this machine.' },
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_TOKEN', 'FIELDSTONE_DATA'],
  examples: [['fieldstone mcp --local', 'Answer the agent that started this command']],
}
