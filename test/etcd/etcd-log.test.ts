/** The commit log over a real etcd server, or over as many as ETCD_SERVERS says. */
import { after } from 'node:test'
import { logIn } from '../support/cluster/etcd-clients.ts'
import { noEtcd, startEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { describeLogContract } from '../support/cluster/log-contract.ts'

const servers = Number(process.env['ETCD_SERVERS'] ?? 1)
const endpoints = noEtcd === false ? (await startEtcd({ after }, { servers })).endpoints : []

describeLogContract(`over etcd, ${servers} of it`, (t) => Promise.resolve(logIn(t, endpoints)), { skip: noEtcd })
