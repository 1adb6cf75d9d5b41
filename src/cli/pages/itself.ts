import { options } from '../options.ts'
import type { Page } from '../page.ts'

/** `fieldstone version`. */
export const version: Page = {
  purpose: 'the version, and what this executable was made of',
  usage: ['version [--json]'],
  says: ['Prints the version. With --json also the commit and the target it was built for, the versions of Bun, of the catalog and of the database, and the sha256 and the vintages of the embedded data. What was not built but run from source says `unknown` and `source`.'],
  options: { json: options.json },
  examples: [['fieldstone version --json', 'to paste into a report']],
}

/** `fieldstone completion`. */
export const completion: Page = {
  purpose: 'completion of commands and flags, for your shell',
  usage: ['completion bash | zsh | fish'],
  says: ['Prints what makes the shell complete commands, their actions, flags and values.'],
  actions: ['bash', 'zsh', 'fish'],
  words: 1,
  options: {},
  examples: [
    ['fieldstone completion bash > ~/.local/share/bash-completion/completions/fieldstone', 'for bash'],
    ['fieldstone completion zsh > "${fpath[1]}/_fieldstone"', 'for zsh'],
    ['fieldstone completion fish > ~/.config/fish/completions/fieldstone.fish', 'for fish'],
  ],
}

/** `fieldstone man`. */
export const man: Page = {
  purpose: 'the manual page of all commands',
  usage: ['man'],
  says: ['Prints fieldstone(1) as man(7) text.'],
  options: {},
  examples: [['fieldstone man | man -l -', 'read it'], ['fieldstone man > /usr/local/share/man/man1/fieldstone.1', 'install it']],
}
