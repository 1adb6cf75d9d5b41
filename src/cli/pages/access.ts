import { options } from '../options.ts'
import type { Page } from '../page.ts'

/** `fieldstone token`. */
export const token: Page = {
  purpose: 'make a further token of the owner\'s',
  usage: ['token new [--name <words>]'],
  says: ['Makes a token of the owner\'s, good for 90 days, and prints it. It is shown this once; only its hash is kept. Works while the server runs.'],
  actions: ['new'],
  words: 1,
  options: { name: { value: 'words', says: 'what it is called in the list of tokens, in at most 100 characters', otherwise: 'command line' }, data: options.data },
  environment: ['FIELDSTONE_DATA'],
  examples: [['fieldstone token new --name backup-script', 'prints a token']],
}

/** `fieldstone user`. */
export const user: Page = {
  purpose: 'invite a person, or make a link for a new password',
  usage: ['user add <name> [--scopes <a,b,…>]', 'user link [<name>]'],
  says: ['add makes an account and prints a link, good once and for a week, at which the person sets a password. link prints one for an account that is there (the owner\'s when no name is given), for a first or a new password. Both work while the server runs; the link begins with FIELDSTONE_BASE_URL.'],
  actions: ['add', 'link'],
  words: 2,
  options: { scopes: options.scopes, data: options.data },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_BASE_URL'],
  exits: { 1: 'there is such an account already, or there is none' },
  examples: [['fieldstone user add ada --scopes fetch,lookup', 'prints a link to send'], ['fieldstone user link', 'a link for the owner\'s password']],
}

/** `fieldstone login`. */
export const login: Page = {
  purpose: 'log in at a server from this machine',
  usage: ['login [--server <address>] [--scopes <a,b,…>]'],
  says: ['Logs in without typing a password here: shows a code, which you confirm in a browser. The login is kept in ~/.config/fieldstone, readable by you alone, and is what `fieldstone mcp` uses.'],
  options: { server: { ...options.server, otherwise: 'FIELDSTONE_BASE_URL' }, scopes: options.scopes },
  environment: ['FIELDSTONE_BASE_URL'],
  exits: { 1: 'the login was refused or not confirmed in time' },
  examples: [['fieldstone login --server https://fieldstone.example', 'shows a code']],
}

/** `fieldstone mcp`. */
export const mcp: Page = {
  purpose: 'the agent protocol on standard input and output',
  usage: ['mcp [--server <address>]', 'mcp --local'],
  says: ['Speaks the Model Context Protocol on standard input and output, for an agent on this machine: on behalf of a server, with the login of `fieldstone login` (or with FIELDSTONE_TOKEN); with --local from within this process, without a server or an account.'],
  options: { server: options.server, local: { says: 'without a server, on the data folder of this machine' }, data: options.data },
  environment: ['FIELDSTONE_TOKEN', 'FIELDSTONE_DATA'],
  examples: [['fieldstone mcp --local', 'for an agent that starts it']],
}
