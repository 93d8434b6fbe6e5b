import { it } from 'node:test'
import { checkPlantedBugs } from '../../../scripts/cluster/planted-bugs.ts'

it('checkPlantedBugs() finds the statement of every planted bug once in the sources', () => checkPlantedBugs())
