import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone version`. */
export const versionPage: CommandPage = {
  summary: 'Print the version',
  usage: ['version [--json]'],
  description: [
    'Prints the version. With --json, it also prints the commit, the build target, the versions of Bun, the catalog and the database schema, and the SHA-256 and vintages of the embedded data. When Fieldstone runs from source, the commit is `unknown` and the target is `source`.',
  ],
  options: { json: sharedOptions.json },
  examples: [['fieldstone version --json', 'Print build details for a bug report']],
}

/** `fieldstone completion`. */
export const completionPage: CommandPage = {
  summary: 'Print a shell completion script',
  usage: ['completion bash | zsh | fish'],
  description: ['Prints a script that completes commands, actions, flags and values in your shell.'],
  actions: ['bash', 'zsh', 'fish'],
  maxArguments: 1,
  options: {},
  examples: [
    ['fieldstone completion bash > ~/.local/share/bash-completion/completions/fieldstone', 'Install it for bash'],
    ['fieldstone completion zsh > "${fpath[1]}/_fieldstone"', 'Install it for zsh'],
    ['fieldstone completion fish > ~/.config/fish/completions/fieldstone.fish', 'Install it for fish'],
  ],
}

/** `fieldstone man`. */
export const manPage: CommandPage = {
  summary: 'Print the manual page',
  usage: ['man'],
  description: ['Prints fieldstone(1) as man(7) source.'],
  options: {},
  examples: [
    ['fieldstone man | man -l -', 'Read it'],
    ['fieldstone man > /usr/local/share/man/man1/fieldstone.1', 'Install it'],
  ],
}

/** `fieldstone sample`. */
export const samplePage: CommandPage = {
  summary: 'Write the small files that the guide uses',
  usage: ['sample <folder> [--force]'],
  description: [
    'Writes sample files into a folder: places with coordinates and with addresses, files for address packs, wetlands, and zones for a layer of your own. The commands in the guide use them as input. If one of the files exists, the command writes nothing.',
  ],
  maxArguments: 1,
  argumentCompletion: { files: true },
  options: { force: { description: 'Replace files that exist.' } },
  examples: [['fieldstone sample .', 'Write the files into the current folder']],
}
