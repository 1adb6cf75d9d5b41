import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone pack`. */
export const packPage: CommandPage = {
  summary: 'make, fetch, list, verify and remove packs: data in files of your own',
  usage: [
    'pack build <dataset> <file> … [options]',
    'pack fetch <dataset> [--layer <name>]',
    'pack list [--all] [--json]',
    'pack verify [<file> …]',
    'pack remove <dataset>',
  ],
  description: [
    'A pack is a file in <data>/packs that a dataset is answered from, without a network. A running service takes it within 2 seconds. The datasets of <data>/catalog.d count as those of the catalog do.',
    'build reads GeoJSON, GeoJSONSeq, FlatGeobuf, shapefiles, GeoParquet, GeoPackage and CSV, by what is in them, also in a ZIP archive; several files become one layer. Of a dataset that is served from a raster it takes a GeoTIFF or bare cells (.bil), also in a ZIP archive, looks at it as the service will, and puts it in its place. build addresses (National Address Database text, OpenAddresses CSV or GeoJSON) and build address-ranges (TIGER/Line ADDRFEAT shapefiles) make the packs of the local geocoder; any mix of files and states goes into one.',
    "fetch downloads the publisher's files first (FIELDSTONE_MIRROR and FIELDSTONE_OFFLINE hold for it) and goes on where it was interrupted; of a file for each year it takes the newest there is. What the files of a publisher need to become a pack, the recipe of the dataset in the catalog says, and build does the same to the same files from elsewhere.",
    'verify checks that the file is whole, its coordinate system, its columns against the catalog, and its checksum.',
  ],
  actions: ['build', 'fetch', 'list', 'verify', 'remove'],
  maxArguments: Infinity,
  options: {
    layer: { valueName: 'name', description: 'which layer of the pack this is, where the catalog reads several' },
    'source-layer': { valueName: 'name', description: 'which layer of the input is meant, where it has several' },
    crs: { valueName: 'EPSG:number', description: 'the coordinate system of the input, where it does not say one' },
    where: {
      valueName: 'condition',
      description:
        'only the features for which it holds, as SQLite writes it, by the names in the pack: "ACRES > 5 AND STATE = \'DC\'"',
    },
    rename: { valueName: 'a=b,…', description: 'the column a of the input is b in the pack' },
    number: {
      valueName: 'name',
      description: 'a column that gets the number of the feature, where the input has no key of its own',
    },
    whole: {
      description:
        'polygons of more than 128 vertices are not cut into pieces, which other programs would show one by one',
    },
    lat: { valueName: 'name', description: 'the column with the latitude, of a CSV with names of its own' },
    lng: { valueName: 'name', description: 'the column with the longitude' },
    vintage: { valueName: 'words', description: 'of when the data is', defaultText: 'the date of the newest input' },
    coverage: {
      valueName: 'west,south,east,north',
      description: 'where the data is complete; also a GeoJSON file of one polygon',
      defaultText: 'the box round it',
      completion: 'files',
    },
    out: { valueName: 'file', description: 'another place than the one where it is served from', completion: 'files' },
    all: { description: 'list also says where the pack of each dataset would lie' },
    json: { description: 'list as JSON, for a program' },
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_PACKS', 'FIELDSTONE_MIRROR', 'FIELDSTONE_OFFLINE'],
  exitCodes: { 1: 'the input was refused, or a pack is not good', 130: 'interrupted; nothing was published' },
  examples: [
    ['fieldstone pack build usfws_nwi wetlands.gpkg --vintage 2026-05', 'wetlands from a file'],
    ['fieldstone pack fetch noaa_ibtracs', 'the tracks of hurricanes from the publisher, as lines'],
    ['fieldstone pack list --all', 'what is there, and where the rest would lie'],
    ['fieldstone pack verify', 'every pack that is served'],
  ],
}
