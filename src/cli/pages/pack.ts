import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone pack`. */
export const packPage: CommandPage = {
  summary: 'Build, fetch, list, verify and remove packs (local data files)',
  usage: [
    'pack build <dataset> <file> … [options]',
    'pack fetch <dataset> [--layer <name>]',
    'pack list [--all] [--json]',
    'pack verify [<file> …]',
    'pack remove <dataset>',
  ],
  description: [
    'A pack is a file in <data>/packs that answers a dataset without the network. A running server picks up a new pack within 2 seconds. The datasets in <data>/catalog.d work like those of the catalog.',
    'build reads GeoJSON, GeoJSONSeq, FlatGeobuf, shapefiles, GeoParquet, GeoPackage and CSV, also in a ZIP archive. It detects the format from the content, and combines several files into one layer. For a raster dataset it reads a GeoTIFF or raw cells (.bil), also in a ZIP archive, and checks that the server can read it.',
    'build addresses and build address-ranges make the packs of the local geocoder. addresses reads National Address Database text and OpenAddresses CSV or GeoJSON; address-ranges reads TIGER/Line ADDRFEAT shapefiles. One pack can combine any files and states.',
    "fetch downloads the publisher's files and builds the pack. It resumes an interrupted download, and takes the newest file of a yearly series. FIELDSTONE_MIRROR and FIELDSTONE_OFFLINE apply. The dataset's recipe in the catalog defines the build; build applies the same recipe to files that you downloaded yourself.",
    'verify checks the integrity, the coordinate system, the columns and the checksum of a pack.',
  ],
  actions: ['build', 'fetch', 'list', 'verify', 'remove'],
  maxArguments: Infinity,
  options: {
    layer: { valueName: 'name', description: 'Layer of the pack to build, if the catalog reads several layers.' },
    'source-layer': { valueName: 'name', description: 'Layer of the input to read, if the input has several layers.' },
    crs: {
      valueName: 'EPSG:number',
      description: 'Coordinate system of the input, if the input does not specify one.',
    },
    where: {
      valueName: 'condition',
      description:
        'SQLite condition that selects features, with the column names of the pack: "ACRES > 5 AND STATE = \'DC\'".',
    },
    rename: { valueName: 'a=b,…', description: 'Rename column a of the input to b in the pack.' },
    number: {
      valueName: 'name',
      description: 'Name of a column to add with the number of each feature, if the input has no key.',
    },
    whole: {
      description:
        'Keep polygons with more than 128 vertices whole. By default they are split into pieces, which other programs show as separate features.',
    },
    lat: { valueName: 'name', description: 'Latitude column of a CSV file.' },
    lng: { valueName: 'name', description: 'Longitude column of a CSV file.' },
    vintage: {
      valueName: 'words',
      description: 'Date or edition of the data.',
      defaultText: 'the date of the newest input file',
    },
    coverage: {
      valueName: 'west,south,east,north',
      description: 'Area in which the data is complete: a bounding box, or a GeoJSON file with one polygon.',
      defaultText: 'the bounding box of the data',
      completion: 'files',
    },
    out: {
      valueName: 'file',
      description: 'Output file.',
      defaultText: 'the file in the pack folder that the server reads',
      completion: 'files',
    },
    all: { description: 'With list: show the pack file of every dataset.' },
    json: { description: 'With list: print JSON.' },
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_PACKS', 'FIELDSTONE_MIRROR', 'FIELDSTONE_OFFLINE'],
  exitCodes: {
    1: 'The input was rejected, or a pack failed verification.',
    130: 'Interrupted. No pack was changed.',
  },
  examples: [
    ['fieldstone pack build usfws_nwi wetlands.gpkg --vintage 2026-05', 'Build the wetlands pack from a file'],
    ['fieldstone pack fetch noaa_ibtracs', 'Download hurricane tracks and build their pack'],
    ['fieldstone pack list --all', 'List the packs, and the pack file of every dataset'],
    ['fieldstone pack verify', 'Verify all packs'],
  ],
}
