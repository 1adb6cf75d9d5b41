import { cpus, release, totalmem } from 'node:os'
import type { FigureRow } from './report.ts'

/** Returns the figures as a Markdown table, under a description of the machine and the compared versions. */
export function markdownOf(lines: readonly FigureRow[]): string {
  const rows = [
    ['what', 'ours', 'peer', 'ratio', 'promised'],
    ['---', '---', '---', '---:', '---'],
    ...lines.map(({ what, ours, peer, ratio, promised }) => [what, ours, peer, ratio, promised]),
  ]
  return `${machine()}\n\n${rows.map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')}\n`
}

/** Describes the machine and the compared versions. */
function machine(): string {
  const [first, ...rest] = cpus()
  const versions = [
    `Bun ${Bun.version}`,
    versionOf('ogrinfo', '--version'),
    versionOf('/usr/lib/postgresql/15/bin/postgres', '--version'),
  ].filter((it) => it !== null)
  return `Measured on ${rest.length + 1} × ${first?.model.trim() ?? 'processor'}, ${(totalmem() / 2 ** 30).toFixed(0)} GB, ${process.platform} ${release()}; ${versions.join('; ')}. A ratio is the peer's time by ours, or our rate by the peer's: above 1 we are faster.`
}

function versionOf(program: string, option: string): string | null {
  const path = Bun.which(program)
  return path === null ? null : Bun.spawnSync([path, option]).stdout.toString().split(/[\n,]/, 1)[0]!.trim()
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
