/** Every setting in a line: its variable and what it means, as the help says it. */
export function settingsTable(settings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(settings).map(
    ([name, words]) => `| \`${name}\` | ${words.replaceAll('|', '/').replaceAll('<', '&lt;')} |`,
  )
  return ['| variable | |', '|---|---|', ...rows].join('\n')
}
