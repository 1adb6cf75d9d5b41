import { exitCodeMeanings } from './exit-codes.ts'
import { flagDescription, flagUsage } from './help.ts'
import { globalOptions } from './shared-options.ts'
import type { CommandPage } from './command-page.ts'
import { commandPages } from './command-pages.ts'
import { settingDescriptions } from './settings.ts'

/** fieldstone(1), as man(7) text. */
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
      "What is true of this place? Fieldstone answers named fields for any US coordinate or address: each with its value, status, unit, source, link and vintage. It answers from packs of your own, from data that is compiled in, and from the publishers' services, in that order. Without a command it serves.",
    ),
    '.SH COMMANDS',
    ...Object.entries(commandPages).flatMap(([name, page]) => commandLines(name, page)),
    '.SH OPTIONS OF EVERY COMMAND',
    ...Object.entries(globalOptions).flatMap(([name, option]) =>
      definition(flagUsage(name, option), flagDescription(option)),
    ),
    '.SH ENVIRONMENT',
    ...Object.entries(settingDescriptions).flatMap(([name, says]) => definition(name, says)),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodeMeanings).flatMap(([code, meaning]) => definition(code, meaning)),
    '.SH FILES',
    ...definition('./data/state.db', 'accounts, runs and what else must last'),
    ...definition('./data/cache.db', 'answers of other servers, for as long as they are good'),
    ...definition('./data/packs', 'local packs'),
    ...definition('./data/catalog.d', 'datasets and fields of your own'),
  ].join('\n')
}

function commandLines(
  name: string,
  { summary, description, options, exitCodes = {}, examples }: CommandPage,
): string[] {
  return [
    `.SS ${name}`,
    escapeRoff(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`),
    ...description.flatMap((paragraph) => ['.PP', escapeRoff(paragraph)]),
    ...Object.entries(options).flatMap(([flag, option]) =>
      definition(flagUsage(flag, option), flagDescription(option)),
    ),
    ...Object.entries(exitCodes).flatMap(([code, meaning]) => definition(`exit status ${code}`, meaning)),
    ...examples.flatMap(([line, does]) => [
      '.PP',
      escapeRoff(`${does.slice(0, 1).toUpperCase()}${does.slice(1)}:`),
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

/** Nothing in it is a request of roff, and a hyphen stays one that can be copied. */
function escapeRoff(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
    .replaceAll(/^(?=[.'])/gm, '\\&')
}
