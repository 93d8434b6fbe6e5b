/** Processes that end with the one that started them, however it ends: a run that is killed leaves nothing behind. */
import { spawnSync } from 'node:child_process'

/** What runs such a program (prctl(2), PR_SET_PDEATHSIG); nothing where there is no setpriv of util-linux. */
export const WITH_PARENT: readonly string[] =
  spawnSync('setpriv', ['--version']).status === 0 ? ['setpriv', '--pdeathsig', 'KILL'] : []
