import { storageSettingNames } from '../settings.ts'
import { datasetNames, sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone pack`. */
export const packPage: CommandPage = {
  summary: 'Build, fetch, list, verify, remove, publish, export and import packs (local data files)',
  usage: [
    'pack build <dataset> <file> … [options]',
    'pack fetch <dataset> [--layer <name>]',
    'pack fetch --preset <name> --area <area> [--between <hours>] [--yes]',
    'pack fetch basemap --source <URL or file> --area <area> [--maxzoom <zoom>]',
    'pack plan --preset <name> --area <area> [--json]',
    'pack starter <county or state> [--preset <name>] [--out <file>]',
    'pack refresh [<dataset> …] [--all] [--dry-run] [--between <hours>]',
    'pack list [--all] [--json]',
    'pack verify [<file> …]',
    'pack remove <dataset | part>',
    'pack publish [<dataset | file> …]',
    'pack export <file> [<dataset> …] [--area <name>]',
    'pack import <file> [--dry-run] [--replace-layers]',
    'pack key [list | add <key> [<name>] | remove <key>]',
  ],
  description: [
    'A pack is a local data file in <data>/packs. With it, Fieldstone answers the fields of one or more datasets without the network. A running server picks up a new pack within 2 seconds. You can also build packs for your own datasets, which you define in <data>/catalog.d.',
    '`pack build` reads GeoJSON, GeoJSONSeq, FlatGeobuf, shapefiles, GeoParquet, GeoPackage, file geodatabases and CSV, also in a ZIP archive. It detects the format from the content, and combines several files into one layer. For a raster dataset, the input is a GeoTIFF or raw cells (.bil), also in a ZIP archive. The command checks that the server can read the raster.',
    'The local geocoder uses two packs: addresses and address-ranges. `pack build addresses` reads National Address Database text and OpenAddresses CSV or GeoJSON. `pack build address-ranges` reads TIGER/Line ADDRFEAT shapefiles. One pack can combine several files and several states.',
    "`pack fetch` downloads the publisher's files and builds the pack. It resumes an interrupted download, and takes the newest file of a yearly series. It downloads from FIELDSTONE_MIRROR if that is set, and fails if FIELDSTONE_OFFLINE=1. The catalog defines for each dataset how its pack is built. `pack build` follows the same steps with files that you downloaded yourself.",
    'A pack can have parts, such as one for each county: <data>/packs/usfws_nwi/08013.gpkg. Build one with --part. `pack verify usfws_nwi` checks all parts, and `pack remove usfws_nwi/08013` removes one.',
    "`pack fetch` with an area makes packs of all datasets that the selected fields read, for this area. Select fields with --preset, --fields, --dataset or --all. It builds the publisher's files where the catalog says how: those of the states or counties in or near the area, of which the pack gets only the features or cells of the area. Otherwise, or with --services, it copies the data from the service that answers online: two requests at a time, with pauses, as the publisher allows. It copies a margin around the area, so that searches at its border are complete. Interrupted, it continues when you run the same command again. `pack plan` prints how each dataset is obtained, its size and its license, and what cannot be copied and why. If no service answers, both commands end with exit code 75, and nothing is copied. `pack fetch` succeeds without a network if all packs are already there.",
    '`pack starter` does all of it for a county or state: it plans, fetches, verifies and exports what all fields need, or those of --preset, --fields or --dataset, to one signed file. Interrupted, it continues when you run the same command again. `pack import` installs the file on a machine without a network.',
    '`pack fetch basemap` copies the tiles of an area from a larger base map, a PMTiles archive in the Protomaps schema, into <data>/packs/basemap.pmtiles. It reads only the parts of the archive that it needs, and checks every tile. Interrupted, it continues when you run the same command again. `pack plan basemap` prints the size.',
    '`pack refresh` makes packs again that `pack fetch` made: those that are older than their data stays valid, and those whose publisher has changed the data since. The earlier pack stays in use until the new one is complete and verified, and the command prints how many features were added, removed and changed. It does not change packs that were built from your own files.',
    '`pack export` writes packs, their manifests and the layers of <data>/catalog.d to one archive, and signs it with the key of the data folder. `pack import` on another machine verifies the signature and all checksums, prints what the archive contains, and installs all of it or nothing. It accepts archives that were signed with a trusted key. `pack key` prints the public key of this data folder, and creates the key if there is none. `pack key add` trusts the key of another machine.',
    '`pack publish` verifies packs of <data>/packs, and writes them with their manifests to the S3 bucket in FIELDSTONE_PACKS. Servers with the same FIELDSTONE_PACKS use the new packs within a minute. It does not write packs that are already there.',
    '`pack verify` checks the integrity, the coordinate system, the columns and the checksum of a pack.',
  ],
  actions: [
    'build',
    'fetch',
    'plan',
    'starter',
    'refresh',
    'list',
    'verify',
    'remove',
    'publish',
    'export',
    'import',
    'key',
  ],
  maxArguments: Infinity,
  argumentCompletion: { names: [...datasetNames, 'addresses', 'address-ranges', 'basemap'], files: true },
  options: {
    area: {
      valueName: 'area',
      description:
        'With export: the packs of this area, as `pack list` prints it. With fetch and plan: a county ("Boulder County, CO" or 08013), a state (Colorado, CO or 08), a metropolitan area of 2010 (cbsa:14500), <west>,<south>,<east>,<north>, or a GeoJSON file with polygons.',
      completion: 'files',
    },
    at: { ...sharedOptions.at, description: 'With fetch and plan: the center of the area. Needs --radius.' },
    sites: {
      valueName: 'file',
      description:
        'With fetch and plan: a CSV, GeoJSON or other file of points. The area is around them. Needs --radius.',
      completion: 'files',
    },
    radius: { valueName: 'length', description: 'Radius for --at and --sites, such as 500m, 5km or 3mi.' },
    preset: {
      ...sharedOptions.preset,
      valueName: 'a,b,…',
      description: 'With fetch and plan: presets, comma-separated.',
    },
    fields: { ...sharedOptions.fields, description: 'With fetch and plan: field names, comma-separated.' },
    dataset: {
      valueName: 'a,b,…',
      description: 'With fetch and plan: datasets, comma-separated.',
      completion: datasetNames,
      isList: true,
    },
    verify: {
      valueName: 'points',
      description:
        'With fetch and an area: compare the answers of the packs with those of the services at this many points of the area, and at 20 at its border. 0: no comparison.',
      defaultText: '200',
    },
    source: {
      valueName: 'URL or file',
      description: 'With fetch basemap and plan basemap: the PMTiles archive to copy from.',
      completion: 'files',
    },
    maxzoom: {
      valueName: 'zoom',
      description:
        'With fetch basemap and plan basemap: the most detailed zoom. Each zoom less makes the copy about half as large.',
      defaultText: 'that of the archive',
    },
    between: {
      valueName: 'hours',
      description:
        'With fetch and an area, and with refresh: copy only in these hours of the day, such as 22:00-06:00, in the time zone of this machine. The command pauses outside of them. A download that has begun is completed. Requests for sizes and dates do not wait.',
    },
    yes: { description: 'With fetch: copy more than 100 MB without asking.' },
    services: {
      description:
        'With fetch and plan: copy the service of a dataset where there is one, also if the publisher has files or the executable has the data. The file of a state can be much larger than the copy of a county.',
    },
    layer: { valueName: 'name', description: 'Layer of the pack to build, if the pack has several layers.' },
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
      description: 'If the input has no key column, add a column with this name that numbers the features.',
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
      defaultText: 'with build, the file in the pack folder that the server reads',
      completion: 'files',
    },
    part: {
      valueName: 'name',
      description:
        'Build a part of the pack with this name, such as 08013. A pack in parts answers each place from the parts that cover it.',
    },
    all: {
      description:
        'With list: print the pack file path of every dataset, including packs that you do not have yet. With fetch and plan: all fields. With refresh: all packs.',
    },
    'dry-run': {
      description:
        'With import: verify the archive and print what it contains, but install nothing. With refresh: print which packs would be fetched again and why.',
    },
    'replace-layers': { description: 'With import: replace layers in <data>/catalog.d that differ.' },
    json: {
      description:
        'With list and plan: print JSON. With fetch and an area: print what happens as lines of JSON, for other programs.',
    },
    data: sharedOptions.data,
  },
  environment: [
    'FIELDSTONE_DATA',
    'FIELDSTONE_PACKS',
    ...storageSettingNames,
    'FIELDSTONE_MIRROR',
    'FIELDSTONE_OFFLINE',
  ],
  exitCodes: {
    1: 'The input was rejected, a pack failed verification, or a plan can fetch nothing.',
    75: 'No service of the plan answers. Nothing was copied. Run the same command again.',
    130: 'Interrupted. The pack that was being made did not change. Run the same command again to continue.',
  },
  examples: [
    ['fieldstone pack build usfws_nwi wetlands.gpkg --vintage 2026-05', 'Build the wetlands pack from a file'],
    ['fieldstone pack fetch noaa_ibtracs', 'Download hurricane tracks and build their pack'],
    ['fieldstone pack plan --preset flood_risk --area "Boulder County, CO"', 'Print what a county would need'],
    ['fieldstone pack fetch --preset flood_risk --area "Boulder County, CO"', 'Make the packs of a county'],
    ['fieldstone pack starter "Boulder County, CO"', 'Get all data of a county in one file for another machine'],
    ['fieldstone pack list --all', 'List every dataset that can have a pack, with the path of its file'],
    ['fieldstone pack refresh --all --dry-run', 'Print which packs are out of date'],
    ['fieldstone pack verify', 'Verify all packs'],
    ['fieldstone pack publish', 'Publish all packs to the bucket in FIELDSTONE_PACKS'],
    ['fieldstone pack export region.tar', 'Write all packs and layers to an archive for another machine'],
  ],
}
