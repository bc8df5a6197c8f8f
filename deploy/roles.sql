-- The login of the workers. It may call the functions for workers and read no table.
--   WORKER_PASSWORD=… psql postgres://umpire@HOST/umpire -f deploy/roles.sql
\getenv password WORKER_PASSWORD
select 'create role umpire_worker nologin' where not exists (select from pg_roles where rolname = 'umpire_worker') \gexec
create role worker login password :'password' in role umpire_worker;
