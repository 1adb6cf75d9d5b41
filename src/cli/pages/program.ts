import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone version`. */
export const versionPage: CommandPage = {
  summary: 'the version, and what this executable was made of',
  usage: ['version [--json]'],
  description: [
    'Prints the version. With --json also the commit and the target it was built for, the versions of Bun, of the catalog and of the database, and the sha256 and the vintages of the embedded data. What was not built but run from source says `unknown` and `source`.',
  ],
  options: { json: sharedOptions.json },
  examples: [['fieldstone version --json', 'to paste into a report']],
}

/** `fieldstone completion`. */
export const completionPage: CommandPage = {
  summary: 'completion of commands and flags, for your shell',
  usage: ['completion bash | zsh | fish'],
  description: ['Prints what makes the shell complete commands, their actions, flags and values.'],
  actions: ['bash', 'zsh', 'fish'],
  maxArguments: 1,
  options: {},
  examples: [
    ['fieldstone completion bash > ~/.local/share/bash-completion/completions/fieldstone', 'for bash'],
    ['fieldstone completion zsh > "${fpath[1]}/_fieldstone"', 'for zsh'],
    ['fieldstone completion fish > ~/.config/fish/completions/fieldstone.fish', 'for fish'],
  ],
}

/** `fieldstone man`. */
export const manPage: CommandPage = {
  summary: 'the manual page of all commands',
  usage: ['man'],
  description: ['Prints fieldstone(1) as man(7) text.'],
  options: {},
  examples: [
    ['fieldstone man | man -l -', 'read it'],
    ['fieldstone man > /usr/local/share/man/man1/fieldstone.1', 'install it'],
  ],
}
