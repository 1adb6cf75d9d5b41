const page = await Bun.file(`${import.meta.dir}/../../src/web/guide/clients.md`).text()

/** The names of the public interface that need a pack of the operator, as the guide lists them with a reason. */
export const namesThatNeedPacks = tableOf('Fields that need a pack of your own').flatMap(([names]) => listOf(names))

/** The other spellings of our units in the guide. `null`: the public interface states no unit. */
export const unitSpellings: ReadonlyMap<string, string[]> = new Map(
  tableOf('Spellings of units').map(([unit, others]) => [listOf(unit)[0]!, listOf(others)]),
)

/** The rows of the first table under a heading of the page, without the two of its head. */
function tableOf(heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(1).map((line) => line.slice(2, -2).split(' | '))
}

/** The code words of a cell. */
function listOf(cell: string | undefined): string[] {
  return cell!.replaceAll('`', '').split(', ')
}
