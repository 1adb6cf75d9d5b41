import { textAnswer, type SimulatedService } from '../service.ts'

/** The class table of LANDFIRE's vegetation types, a few rows of it, on both names of the site. */
export const landfireClasses: SimulatedService[] = ['landfire.gov', 'www.landfire.gov'].map((host) => ({
  host,
  answer: ({ method, path }) =>
    method === 'GET' && path === '/sites/default/files/CSV/2024/LF2024_EVT.csv' ? textAnswer(table, 'text/csv') : null,
}))

// Synthetic: colours, and which of the 900 rows are here.
const table = [
  'VALUE,EVT_NAME,LFRDB,EVT_FUEL,EVT_FUEL_N,EVT_LF,EVT_PHYS,EVT_GP,EVT_GP_N,R,G,B',
  '-9999,Fill-NoData,,,,Fill-NoData,Fill-NoData,,,0,0,0',
  '7011,Rocky Mountain Aspen Forest and Woodland,11,2011,Aspen,Tree,Hardwood,601,Aspen Forest,1,2,3',
  '7054,Southern Rocky Mountain Ponderosa Pine Woodland,54,2054,Ponderosa Pine,Tree,Conifer,602,Ponderosa Pine Forest,1,2,4',
  '7080,Inter-Mountain Basins Big Sagebrush Shrubland,80,2080,Sagebrush,Shrub,Shrubland,603,"Big Sagebrush Shrubland, and Steppe",1,2,5',
  '7292,Open Water,292,2292,Water,Water,Open Water,604,Open Water,0,0,255',
  '7299,Developed-Roads,299,2299,Roads,Developed,Developed-Roads,605,Developed,9,9,9',
].join('\r\n')
