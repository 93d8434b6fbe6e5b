/** The settings of commands on a data directory: where it is and, for that of a node, how to reach its cluster. */
import type { SettingName } from '../config/settings.ts'

export const DATA_SETTINGS: readonly SettingName[] = [
  'dataDir',
  'cluster',
  'clusterCa',
  'clusterCert',
  'clusterKey',
  'clusterUser',
  'clusterPasswordFile',
  'clusterPrefix',
]
