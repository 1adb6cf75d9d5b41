import { exitMeanings } from './exits.ts'
import { flagSays, flagText } from './help.ts'
import { always } from './options.ts'
import type { Page } from './page.ts'
import { pages } from './pages.ts'
import { settings } from './settings.ts'

/** fieldstone(1), as man(7) text. */
export function manual(version: string): string {
  return [
    `.TH FIELDSTONE 1 "" "Fieldstone ${version}" "User Commands"`,
    '.SH NAME',
    'fieldstone \\- named fields for any US coordinate, each with its provenance',
    '.SH SYNOPSIS',
    ...Object.values(pages).flatMap(({ usage }) => usage).flatMap((line, at) => [...(at > 0 ? ['.br'] : []), text(`fieldstone ${line}`)]),
    '.SH DESCRIPTION',
    text('What is true of this place? Fieldstone answers named fields for any US coordinate or address: each with its value, status, unit, source, link and vintage. It answers from packs of your own, from data that is compiled in, and from the publishers\' services, in that order. Without a command it serves.'),
    '.SH COMMANDS',
    ...Object.entries(pages).flatMap(([name, page]) => commandLines(name, page)),
    '.SH OPTIONS OF EVERY COMMAND',
    ...Object.entries(always).flatMap(([name, option]) => entry(flagText(name, option), flagSays(option))),
    '.SH ENVIRONMENT',
    ...Object.entries(settings).flatMap(([name, says]) => entry(name, says)),
    '.SH EXIT STATUS',
    ...Object.entries(exitMeanings).flatMap(([code, meaning]) => entry(code, meaning)),
    '.SH FILES',
    ...entry('./data/state.db', 'accounts, runs and what else must last'),
    ...entry('./data/cache.db', 'answers of other servers, for as long as they are good'),
    ...entry('./data/packs', 'local packs'),
    ...entry('./data/catalog.d', 'datasets and fields of your own'),
  ].join('\n')
}

function commandLines(name: string, { purpose, says, options, exits = {}, examples }: Page): string[] {
  return [
    `.SS ${name}`,
    text(`${purpose.slice(0, 1).toUpperCase()}${purpose.slice(1)}.`),
    ...says.flatMap((paragraph) => ['.PP', text(paragraph)]),
    ...Object.entries(options).flatMap(([flag, option]) => entry(flagText(flag, option), flagSays(option))),
    ...Object.entries(exits).flatMap(([code, meaning]) => entry(`exit status ${code}`, meaning)),
    ...examples.flatMap(([line, does]) => ['.PP', text(`${does.slice(0, 1).toUpperCase()}${does.slice(1)}:`), '.PP', '.nf', text(`    ${line}`), '.fi']),
  ]
}

function entry(name: string, says: string): string[] {
  return ['.TP', `.B ${text(name)}`, text(says)]
}

/** Nothing in it is a request of roff, and a hyphen stays one that can be copied. */
function text(plain: string): string {
  return plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('`', '\\(ga').replaceAll('~', '\\(ti').replaceAll('…', '...').replaceAll(/^(?=[.'])/gm, '\\&')
}
