/**
 * The pages of the guide in reading order, grouped for the table of contents. Each is a Markdown file in this folder.
 */
export const guideSections: readonly { title: string; pages: readonly string[] }[] = [
  {
    title: 'Use Fieldstone',
    pages: [
      'start',
      'fields-and-presets',
      'addresses',
      'areas',
      'runs',
      'clusters',
      'files',
      'ask',
      'packs-and-offline',
      'your-own-layers',
      'agents',
      'connect',
      'clients',
    ],
  },
  { title: 'Run a server', pages: ['access', 'operate', 'scale', 'observe', 'security', 'performance'] },
  { title: 'Reference', pages: ['errors', 'settings', 'datasets'] },
  { title: 'Work on the code', pages: ['develop', 'architecture', 'internals'] },
]

export const guidePageNames: readonly string[] = guideSections.flatMap(({ pages }) => pages)

/** A page of the guide as the server holds it. */
export type GuidePage = {
  name: string
  title: string
  markdown: string
  /** Generated at build time from our own text; raw HTML in the Markdown is escaped. */
  html: string
  headings: GuideHeading[]
  /** What search looks at, in the order of the page. */
  blocks: GuideBlock[]
}

export type GuideHeading = { id: string; level: number; text: string }

/**
 * A paragraph, list item, table row or code block, with the heading above it. `heading` is an index into `headings`.
 */
export type GuideBlock = { heading: number; text: string }
