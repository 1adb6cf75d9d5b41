import { exitCodeMeanings } from './exit-codes.ts'
import { flagDescription, flagUsage } from './help.ts'
import { globalOptions } from './shared-options.ts'
import type { CommandPage } from './command-page.ts'
import { commandPages } from './command-pages.ts'
import { settingDescriptions } from './settings.ts'

/** Returns fieldstone(1) as man(7) source. */
export function manualPage(version: string): string {
  return [
    `.TH FIELDSTONE 1 "" "Fieldstone ${version}" "User Commands"`,
    '.SH NAME',
    'fieldstone \\- named fields for any US coordinate, each with its provenance',
    '.SH SYNOPSIS',
    ...Object.values(commandPages)
      .flatMap(({ usage }) => usage)
      .flatMap((line, at) => [...(at > 0 ? ['.br'] : []), escapeRoff(`fieldstone ${line}`)]),
    '.SH DESCRIPTION',
    escapeRoff(
      "Fieldstone returns named fields for any US coordinate or address. Each field has a value, status, unit, source, link and vintage. Fieldstone reads your own packs first, then the data embedded in the executable, then the publishers' services. Without a command, it starts the HTTP server.",
    ),
    '.SH COMMANDS',
    ...Object.entries(commandPages).flatMap(([name, page]) => commandLines(name, page)),
    '.SH COMMON OPTIONS',
    ...Object.entries(globalOptions).flatMap(([name, option]) =>
      definition(flagUsage(name, option), flagDescription(option)),
    ),
    '.SH ENVIRONMENT',
    ...Object.entries(settingDescriptions).flatMap(([name, description]) => definition(name, description)),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodeMeanings).flatMap(([code, meaning]) => definition(code, meaning)),
    '.SH FILES',
    ...definition('./data/state.db', 'Accounts, tokens, runs and their results.'),
    ...definition('./data/cache.db', 'Cache of answers from other servers. You may delete this file at any time.'),
    ...definition('./data/packs', 'Packs.'),
    ...definition('./data/catalog.d', 'Local layers: your own datasets and fields.'),
  ].join('\n')
}

function commandLines(
  name: string,
  { summary, description, options, exitCodes = {}, examples }: CommandPage,
): string[] {
  return [
    `.SS ${name}`,
    escapeRoff(`${summary}.`),
    ...description.flatMap((paragraph) => ['.PP', escapeRoff(paragraph)]),
    ...Object.entries(options).flatMap(([flag, option]) =>
      definition(flagUsage(flag, option), flagDescription(option)),
    ),
    ...Object.entries(exitCodes).flatMap(([code, meaning]) => definition(`exit status ${code}`, meaning)),
    ...examples.flatMap(([line, example]) => [
      '.PP',
      escapeRoff(`${example}:`),
      '.PP',
      '.nf',
      escapeRoff(`    ${line}`),
      '.fi',
    ]),
  ]
}

function definition(name: string, description: string): string[] {
  return ['.TP', `.B ${escapeRoff(name)}`, escapeRoff(description)]
}

/** Escapes roff requests, and keeps hyphens as ASCII so that readers can copy them. */
function escapeRoff(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
    .replaceAll(/^(?=[.'])/gm, '\\&')
}
